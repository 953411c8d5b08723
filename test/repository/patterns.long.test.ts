// Every pattern of the source is linear in what it reads, or reads only our own text: what others send must
// not hold a thread. recheck decides it, of literals and of what is built at run time; where its program for
// this machine is not installed, the same in JavaScript does.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';
import { MappedColumns } from '../../server/import/mapping/mapped.ts';
import { LocalTimes } from '../../server/import/mapping/times.ts';
import { RowReader } from '../../server/import/rows.ts';
import { targets } from '../../server/import/targets.ts';
import { readSources } from './sources.ts';

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly summary: string };
}
type Check = (source: string, flags: string, options: { readonly timeout: number }) => Promise<Verdict>;
/** Its declarations are of another module system. */
const { check } = createRequire(import.meta.url)('recheck') as { readonly check: Check };

/** Of one pattern: what is not decided by then is left to the rules of oxlint. */
const TIMEOUT_MS = 5_000;
/** Without these a pattern reads a number of characters that it says itself. */
const UNBOUNDED = /[*+]|\{\d*,\}/;

/** Those that are not linear, as they begin, and what they read. */
const OURS: readonly (readonly [path: string, begin: string, reads: string])[] = [
  ['api/agent/times.ts', '^.*(GMT[+-]', 'a date as Intl writes it'],
  ['api/client/proxy.ts', '^(\\[[^\\]]*\\]|', 'NO_PROXY of the environment'],
  ['cli/sign-in.ts', '/(?:docs(?:', 'the address that a person types'],
  ['server/http/brand.ts', '<\\?.*?\\?>', 'the logo of the operator'],
  ['server/http/console.ts', '<link rel=', 'the page of the console as it is built'],
  [
    'server/import/mapping/schema.ts',
    '("(?:[^',
    'a mapping of the operator, of at most 1 MiB, once it is JSON',
  ],
  ['server/postgres-url.ts', '; if the root', 'a message of OpenSSL'],
  ['server/reference/markup.ts', '("(?:\\\\.|', 'samples of the reference'],
];
/** Files that build patterns when they are loaded, of their own constants, and those that others read. */
const BUILT_WHEN_LOADED = [
  'api/contract/csv.ts',
  'api/contract/printable.ts',
  'api/contract/retry-after.ts',
  'api/contract/telephone.ts',
  'cli/sign-in.ts',
  'server/import/values.ts',
  'server/store/postgres/staging.ts',
  'server/xlsx/cells.ts',
];
/** Files whose patterns are built of what an operator writes. */
const BUILT_OF_SETTINGS = ['api/check/charge-text.ts', 'server/import/mapping/forms.ts'];
/** Files that build patterns of constants, and read our own text with them. */
const BUILT_FOR_OURS = ['server/http/brand.ts', 'server/commands/doctor.ts'];

interface Found {
  readonly source: string;
  readonly flags: string;
  readonly path: string;
}

const sources = readSources().filter(
  ({ path }) => /^(?:api|cli|console|server)\//.test(path) && !/\.test\.|\/dist\//.test(path),
);

function literalsOf(path: string, text: string): Found[] {
  const found: Found[] = [];
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex !== null && node.regex !== undefined)
        found.push({ source: node.regex.pattern, flags: node.regex.flags, path });
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** The patterns that are built while this runs. */
async function builtBy(path: string, run: () => unknown): Promise<Found[]> {
  const found: Found[] = [];
  const RealRegExp = RegExp;
  globalThis.RegExp = new Proxy(RealRegExp, {
    construct(target, [source, flags = ''], newTarget) {
      found.push({ source: String(source), flags: String(flags), path });
      return Reflect.construct(target, [source, flags], newTarget) as RegExp;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = RealRegExp;
  }
  return found;
}

/** What is wrong with a pattern; `undefined` where it is linear. */
async function faultOf({ source, flags, path }: Found): Promise<string | undefined> {
  if (!UNBOUNDED.test(source)) return undefined;
  const { status, complexity } = await check(source, flags, { timeout: TIMEOUT_MS });
  const isOurs = OURS.some(([file, begin]) => file === path && source.startsWith(begin));
  if (status !== 'vulnerable' || isOurs) return undefined;
  return `${path}: /${source}/${flags} is a ${complexity?.summary}`;
}

async function mustBeLinear(found: readonly Found[]): Promise<void> {
  const each = new Map(found.map((one) => [`/${one.source}/${one.flags} ${one.path}`, one]));
  assert.ok(each.size > 0, 'there is no pattern');
  const faults: (string | undefined)[] = [];
  for (const one of each.values()) faults.push(await faultOf(one));
  assert.deepEqual(
    faults.filter((fault) => fault !== undefined),
    [],
  );
}

describe('a pattern is linear, or reads only our own text', () => {
  test('each literal', () => mustBeLinear(sources.flatMap(({ path, text }) => literalsOf(path, text))));

  test('each one that is built when its file is loaded', async () => {
    for (const path of BUILT_WHEN_LOADED) {
      const url = new URL(`../../${path}?built`, import.meta.url).href;
      await mustBeLinear(await builtBy(path, () => import(url)));
    }
  });

  test('each one that is built of a mapping', async () => {
    const { columns } = new RowReader(targets.virtual_numbers);
    const names = Object.fromEntries(columns.map(({ name }) => [name, name]));
    const dates = [
      'DD.MM.YYYY HH:mm:ss.ffffff',
      'D de MM de YY',
      'YYYYMMDD',
      '  DD  MM  YYYY  HH',
      'dddMMMMMM',
      'ddd, D MMM YYYY h:mm:ss a Z',
    ];
    const found = await builtBy('api/check/charge-text.ts', () => {
      for (const currency of ['€', 'EUR', ' ', '  ', '. ', 'a*', '1', "'"])
        for (const decimal of ['.', ','] as const)
          void new MappedColumns({ columns: names, currency, decimal }, columns);
      for (const form of dates) void new LocalTimes([form]);
    });
    await mustBeLinear(found);
  });

  test('each file that builds one is in a list here', () => {
    const building = sources.filter(({ code }) => /\bRegExp\(/.test(code)).map(({ path }) => path);
    const known = [...BUILT_WHEN_LOADED, ...BUILT_OF_SETTINGS, ...BUILT_FOR_OURS];
    assert.deepEqual(building.toSorted(), known.toSorted());
  });
});
