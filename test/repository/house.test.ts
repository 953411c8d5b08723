// The plan of the code as tests: reads the tree as it stands and names what has strayed.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { describe, test } from 'node:test';
import {
  circles,
  filesBelow,
  importedFile,
  type Located,
  lineCount,
  parse,
  ROOT,
  readSources,
  type Source,
} from './sources.ts';

const LONGEST_FILE = 250;
const LONGEST_FUNCTION = 50;
const WIDEST_COMMENT = 110;

const tree = filesBelow('.');
const every = readSources();
const sources = every.filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('test/'));
const inside = (...folders: string[]) =>
  sources.filter(({ path }) => folders.includes(path.split('/')[0] ?? ''));
const paths = (strayed: readonly Source[]) => strayed.map(({ path }) => path);

/** Imports from no other room but its like, and every room of the server may import from it. */
const LEAF: readonly string[] = [];

/** Which room may import from which others, types included. What is not here is not allowed. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'api/contract': [],
  'api/check': ['api/contract'],
  'api/lists': ['api/contract'],
  'api/client': ['api/check', 'api/contract', 'api/lists'],
  'api/openapi': ['api/contract'],
  'api/agent': ['api/check', 'api/client', 'api/contract', 'api/lists', 'api/openapi'],
  'api/index.ts': ['api/client', 'api/contract', 'api/lists'],

  'server/linecard-server.cjs': ['server/main.ts'],
  'server/main.ts': ['server/program.ts'],
  'server/program.ts': ['server/commands', 'server/store/log'],
  'server/commands': [
    'server/http',
    'server/limits',
    'server/metrics',
    'server/intake',
    'server/operations',
    'server/reference',
    'server/answers',
    'server/lists',
    'server/list-index',
    'server/demo',
    'server/deliver',
    'server/feed',
    'server/import/sources',
    'server/import',
    'server/store',
    'server/store/access',
    'server/store/copy.ts',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
    'server/store/open.ts',
    'server/store/postgres',
    'server/store/rename.ts',
    'server/store/sqlite',
    'server/store/webhooks',
  ],
  'server/http': [
    'server/answers',
    'server/limits',
    'server/reference',
    'server/store',
    'server/store/access',
    'server/store/lists',
  ],
  'server/limits': [],
  'server/metrics': [
    'server/answers',
    'server/http',
    'server/limits',
    'server/store',
    'server/store/access',
    'server/store/imports',
    'server/store/webhooks',
  ],
  'server/intake': [
    'server/http',
    'server/import',
    'server/limits',
    'server/operations',
    'server/reference',
    'server/store',
    'server/store/access',
    'server/store/imports',
  ],
  'server/operations': [
    'server/http',
    'server/import',
    'server/lists',
    'server/store',
    'server/store/access',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
    'server/store/rename.ts',
    'server/store/webhooks',
  ],
  'server/reference': [],
  'server/answers': [
    'server/limits',
    'server/lists',
    'server/list-index',
    'server/store',
    'server/store/access',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
    'server/store/open.ts',
    'server/store/webhooks',
  ],
  'server/lists': ['server/list-index', 'server/xlsx', 'server/store'],
  'server/list-index': ['server/store', 'server/store/lists'],
  'server/xlsx': [],
  'server/demo': [
    'server/import',
    'server/store',
    'server/store/access',
    'server/store/lists',
    'server/store/log',
  ],
  'server/deliver': [
    'server/limits',
    'server/lists',
    'server/store',
    'server/store/lists',
    'server/store/log',
    'server/store/webhooks',
  ],
  'server/feed': ['server/import'],
  'server/import': [
    'server/import/sources',
    'server/store',
    'server/store/access',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
  ],
  'server/import/sources': [],
  'server/store/open.ts': ['server/store', 'server/store/postgres', 'server/store/sqlite'],
  'server/store/sqlite': ['server/store', 'server/store/log', 'server/store/webhooks'],
  'server/store/postgres': [
    'server/limits',
    'server/store',
    'server/store/copy-parts.ts',
    'server/store/lists',
    'server/store/log',
  ],
  'server/store/copy.ts': ['server/store', 'server/store/copy-parts.ts', 'server/store/lists'],
  'server/store/rename.ts': [
    'server/store',
    'server/store/access',
    'server/store/copy-parts.ts',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
  ],
  'server/store/copy-parts.ts': [
    'server/store',
    'server/store/access',
    'server/store/imports',
    'server/store/lists',
    'server/store/log',
    'server/store/webhooks',
  ],
  'server/store/imports': ['server/limits', 'server/store', 'server/store/access', 'server/store/log'],
  'server/store/access': ['server/limits', 'server/store', 'server/store/log', 'server/store/webhooks'],
  'server/store/webhooks': ['server/store', 'server/store/log'],
  'server/store/lists': ['server/store', 'server/store/log'],
  'server/store/log': ['server/store'],
  'server/store': [],

  'server/announce.ts': LEAF,
  'server/byte-writer.ts': LEAF,
  'server/certificates.ts': LEAF,
  'server/errors.ts': LEAF,
  'server/log.ts': LEAF,
  'server/log-writer.ts': LEAF,
  'server/memory.ts': LEAF,
  'server/outgoing.ts': LEAF,
  'server/postgres-url.ts': LEAF,
  'server/public-addresses.ts': LEAF,
  'server/settings': LEAF,
  'server/version.ts': LEAF,
  'server/worker-url.ts': LEAF,
};

/**
 * The floors of the console, from below: a file imports from its own floor and from those below it. A file
 * that is named is not on the floor of its folder.
 */
const FLOORS: readonly (readonly [floor: string, entries: readonly string[]])[] = [
  [
    'kit',
    [
      ...[
        'build.ts',
        'deferred.ts',
        'format.ts',
        'icons.tsx',
        'observable.ts',
        'storage.ts',
        'page.ts',
        'react.js',
        'starting.js',
        'texts.ts',
        'times.ts',
      ],
      ...['waiting.ts', 'shell/choice.tsx', 'shell/copy-text.tsx', 'shell/dialog.tsx', 'shell/focus.ts'],
      ...[
        'shell/keys.ts',
        'shell/opened.ts',
        'shell/outside.tsx',
        'shell/side.tsx',
        'shell/title.ts',
        'styles',
        'texts',
      ],
    ],
  ],
  [
    'data',
    [
      ...[
        'address.tsx',
        'addressed.tsx',
        'contract.ts',
        'figures.ts',
        'linecard.ts',
        'live.ts',
        'queries.ts',
      ],
      ...[
        'reading.ts',
        'router.tsx',
        'session.ts',
        'view.ts',
        'words.ts',
        'compare/address.ts',
        'glance/due.ts',
      ],
      ...['ranges/address.ts', 'shell/later.tsx', 'shell/trouble.tsx'],
    ],
  ],
  ['parts', ['activity', 'check', 'compare', 'details', 'export', 'filters', 'glance', 'list', 'ranges']],
  [
    'pages',
    [
      ...['activity/activity-page.tsx', 'list/list-page.tsx', 'main.tsx', 'notifications', 'overview'],
      ...['palette', 'ranges/ranges.tsx', 'shell'],
    ],
  ],
];

/** The longest of the entries that a path begins with. */
function entryOf(entries: readonly string[], path: string): string | undefined {
  const named = entries.filter((entry) => path === entry || path.startsWith(`${entry}/`));
  return named.toSorted((a, b) => b.length - a.length)[0];
}

/** The floor that a file of the console is on, counted from below; -1 for none. */
function floorOf(path: string): number {
  const inConsole = path.replace(/^console\//, '');
  const entry = entryOf(
    FLOORS.flatMap(([, entries]) => entries),
    inConsole,
  );
  return FLOORS.findIndex(([, entries]) => entry !== undefined && entries.includes(entry));
}

/**
 * The room that a file of api/ or server/ is in: the longest entry of the table that its path begins with.
 */
function roomOf(path: string): string {
  return entryOf(Object.keys(ARROWS), path) ?? path;
}

describe('rooms', () => {
  const housed = inside('api', 'server');

  for (const [room, allowed] of Object.entries(ARROWS)) {
    test(`${room} imports from ${allowed.join(', ') || 'no other room'}`, () => {
      const files = housed.filter(({ path }) => roomOf(path) === room);
      assert.ok(files.length > 0, 'there is no such room: take its line out of the table');
      const strayed = files.flatMap(({ path, imports }) =>
        imports.flatMap((name) => {
          const other = importedFile(path, name);
          if (other === undefined) return [];
          const to = roomOf(other);
          const mayEnter = to === room || allowed.includes(to) || ARROWS[to] === LEAF;
          return mayEnter ? [] : [`${path} -> ${other}`];
        }),
      );
      assert.deepEqual(strayed, []);
    });
  }

  test('every file of api/ and server/ is in a room', () => {
    assert.deepEqual(paths(housed.filter(({ path }) => ARROWS[roomOf(path)] === undefined)), []);
  });

  for (const [i, [floor]] of FLOORS.entries()) {
    const allowed = FLOORS.slice(0, i).map(([name]) => name);
    test(`the ${floor} of the console import from ${allowed.join(', ') || 'no other floor'}`, () => {
      const files = inside('console').filter(({ path }) => floorOf(path) === i);
      assert.ok(files.length > 0);
      const strayed = files.flatMap(({ path, imports }) =>
        imports
          .map((name) => importedFile(path, name) ?? '')
          .filter((other) => other.startsWith('console/') && floorOf(other) > i)
          .map((other) => `${path} -> ${other}`),
      );
      assert.deepEqual(strayed, []);
    });
  }

  test('every file of console/ is on a floor', () => {
    assert.deepEqual(paths(inside('console').filter(({ path }) => floorOf(path) < 0)), []);
    const entries = FLOORS.flatMap(([, all]) => all).map((entry) => `console/${entry}`);
    const isThere = (entry: string) => tree.some((path) => path === entry || path.startsWith(`${entry}/`));
    assert.deepEqual(
      entries.filter((entry) => !isThere(entry)),
      [],
    );
  });

  test('no file imports itself through others', () => {
    const imports = new Map(
      every.map(({ path, imports: names }) => [
        path,
        names.flatMap((name) => importedFile(path, name) ?? []),
      ]),
    );
    assert.deepEqual(circles(imports), []);
  });

  test('api/ imports nothing from outside api/', () => {
    const strayed = inside('api').filter(({ path, imports }) =>
      imports.some((name) => importedFile(path, name)?.startsWith('api/') !== true),
    );
    assert.deepEqual(paths(strayed), []);
  });

  test('only api/index.ts re-exports, and the React of the console', () => {
    const reExporting = ['api/index.ts', 'console/react.js'];
    const strayed = sources.filter(({ path, reExports }) => !reExporting.includes(path) && reExports);
    assert.deepEqual(paths(strayed), []);
  });

  test('workspaces meet by their public names, not by paths into each other', () => {
    const strayed = inside('api', 'cli', 'console', 'server').filter(({ path, imports }) => {
      const workspace = path.slice(0, path.indexOf('/') + 1);
      return imports.some((name) => importedFile(path, name)?.startsWith(workspace) === false);
    });
    assert.deepEqual(paths(strayed), []);
  });
});

/** What only a few files may touch: everything else in the published workspaces goes through them. */
const RESERVED: readonly {
  readonly title: string;
  readonly may: readonly string[];
  /** What they are called, where they are many. */
  readonly who?: string;
  readonly imports?: RegExp;
  readonly code?: RegExp;
}[] = [
  {
    title: 'reads the environment',
    // An example of a program shows it, too.
    may: ['api/openapi/code-samples.ts', 'cli/config.ts', 'server/settings/config.ts'],
    imports: /^(?:node:)?process$/,
    code: /\bprocess\s*\.\s*env\b/,
  },
  {
    title: 'imports the HTTP framework',
    may: inside('server').flatMap(({ path }) => (/^server\/(?:http|intake)\//.test(path) ? [path] : [])),
    who: 'the files of the routes',
    imports: /^@?fastify\b/,
  },
  {
    title: 'imports a database driver',
    may: inside('server', 'cli').flatMap(({ path }) =>
      /^(?:server\/(?:store\/(?:sqlite|postgres)|import\/sources)\/|cli\/copy-database\.)/.test(path)
        ? [path]
        : [],
    ),
    who: 'the files of a store, of a source or of a copy',
    imports: /^(?:node:sqlite|pg|pg-.+|mysql2.*)$/,
  },
  {
    title: 'imports the parser of command lines',
    may: ['cli/program.ts', 'server/program.ts'],
    imports: /^commander$/,
  },
  {
    title: 'imports the library of metrics',
    may: ['server/metrics/metrics.ts'],
    imports: /^@prometheus-io\//,
  },
  {
    title: 'imports the protocol of agents',
    may: ['cli/mcp.ts', 'server/http/mcp/answer.ts'],
    imports: /^@modelcontextprotocol\//,
  },
  {
    title: 'makes a Date',
    may: ['api/agent/times.ts', 'api/contract/timestamp.ts', 'console/times.ts'],
    code: /\bnew Date\b/,
  },
  {
    title: 'casts through unknown',
    may: [
      ...[
        'api/agent/serve.ts',
        'api/client/webhook-message.ts',
        'console/page.ts',
        'server/commands/print.ts',
      ],
      ...['server/import/mapping/proposal.ts', 'server/lists/fields.ts', 'server/store/postgres/load.ts'],
      ...['server/store/sqlite/load.ts', 'server/store/sqlite/migrate.ts'],
    ],
    who: 'a few files, each for a reason,',
    code: /\bas unknown as\b/,
  },
];

describe('what is reserved', () => {
  for (const { title, may, who = may.join(', '), imports, code } of RESERVED) {
    test(`only ${who} ${title}`, () => {
      const touches = (source: Source) =>
        source.imports.some((name) => imports?.test(name)) || code?.test(source.code) === true;
      const strayed = inside('api', 'cli', 'console', 'server').filter(
        (source) => touches(source) && !may.includes(source.path),
      );
      assert.deepEqual(paths(strayed), []);
    });
  }

  test('the console knows the contract in two files, the client in another, and a check in its thread', () => {
    const strayed = inside('console').filter(({ imports }) =>
      imports.some((name) => name.startsWith('@linecard/client')),
    );
    assert.deepEqual(paths(strayed).toSorted(), [
      'console/check/worker.ts',
      'console/contract.ts',
      'console/linecard.ts',
      'console/reading.ts',
    ]);
  });
});

describe('files say what they are', () => {
  test('no file has a name that says nothing', () => {
    const vague = /^(?:utils?|common|shared|helpers?|types|misc)\./;
    assert.deepEqual(paths(every.filter(({ path }) => vague.test(basename(path)))), []);
  });

  test('every source file opens with a comment', () => {
    const silent = sources.filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(text));
    assert.deepEqual(paths(silent), []);
  });
});

describe('sizes', () => {
  /** A language is one file, however long, so that a translator has all of it. */
  const isLanguage = (path: string) => path.startsWith('console/texts/');
  test(`no source file has more than ${LONGEST_FILE} lines, but for the texts of a language`, () => {
    const long = sources.filter(({ path, text }) => lineCount(text) > LONGEST_FILE && !isLanguage(path));
    assert.deepEqual(
      long.map(({ path, text }) => `${path}: ${lineCount(text)}`),
      [],
    );
  });

  test(`no function has more than ${LONGEST_FUNCTION} lines`, () => {
    const long = sources.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > LONGEST_FUNCTION)
        .map(({ line, lines }) => `${path}:${line}: ${lines}`),
    );
    assert.deepEqual(long, []);
  });

  test(`no line of a comment has more than ${WIDEST_COMMENT} columns`, () => {
    assert.deepEqual(
      strayedComments((text) => Array.from(text).length > WIDEST_COMMENT),
      [],
    );
  });
});

/** Words that the field does not use, with those it does, where a comment has no other use for them. */
const PRIVATE_WORDS: readonly (readonly [RegExp, instead: string])[] = [
  [/\baside\b|\bhanded out\b|\bstands? back\b/i, 'worker thread, pool, scheduled, low priority'],
  [/\bpour(?:s|ed|ing)?\b/i, 'stream, chunks'],
  [/(?<!\bround[- ])\btrips?\b/i, 'round trip'],
  [/\bdoors?\b/i, 'route, entry point'],
  [/\bwhoever\b|\bwhomever\b|\basker\b|\bwho asks\b/i, 'request, caller, client'],
  [/\b(?:he|him|his|she|her|hers)\b/i, 'they, or the thing itself'],
];

/** The same for the comments outside test/, and for the titles of all tests. */
const PRIVATE_VERBS: readonly (readonly [RegExp, instead: string])[] = [
  [/\btold\b/i, 'reported, returned, sent'],
  [/\bkept\b/i, 'cached, stored, retained'],
  [/\basked\b/i, 'requested, polled'],
  [/\bwhoever\b/i, 'client, caller'],
  [/\bcompany\b/i, 'contention, batch'],
];

/** The same for the words that an identifier is made of. */
const PRIVATE_PARTS: ReadonlyMap<string, string> = new Map([
  ['aside', 'worker thread, pool'],
  ['pour', 'stream'],
  ['poured', 'streamed'],
  ['pouring', 'streaming'],
  ['moment', 'snapshot'],
  ['moments', 'snapshots'],
  ['trip', 'roundTrip'],
  ['trips', 'roundTrips'],
  ['wish', 'demand, threshold'],
  ['doubt', 'suspect'],
  ['standing', 'health'],
  ['told', 'reported, returned'],
  ['asked', 'request, caller'],
  ['asker', 'caller'],
  ['door', 'route, entry point'],
  ['doors', 'routes'],
  ['kept', 'cached'],
]);

/** Rooms whose comments and titles of tests use standard terms alone; each room is added when it does. */
const CLEAN_ROOMS = ['api/', 'bench/', 'cli/', 'console/', 'server/', 'test/', 'tools/'];

/** Those that hold to the whole table, and the files directly in server/. */
const CLEANEST_ROOMS =
  /^(?:bench|tools|server\/(?:answers|commands|http|limits|reference|settings|xlsx))\/|^server\/[^/]+$/;

/** Words that are not used there at all, with what is: they have no meaning that a shorter word lacks. */
const NOT_STANDARD: readonly (readonly [RegExp, instead: string])[] = [
  [/\banew\b|\bonce more\b/i, 'again, retry'],
  [/\bbesides?\b/i, 'next to, in addition to, with, during'],
  [/\b(?:so|as) many(?! as)\b/i, 'n, the limit, up to, that many'],
  [/\bworked out\b/i, 'computed'],
  [/\bunder way\b/i, 'in flight'],
  [/\blook(?:s|ed|ing)? through\b/i, 'full scan'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bdear(?:er|est)?\b|\breckon/i, 'expensive, estimated'],
  [/\blets? go\b|\bletting go\b/i, 'unpin, release'],
  [/\b(?:re)?drawn\b|\bredraw/i, 'derived, backfill, rewrite'],
  [/\btidily\b/i, 'gracefully'],
  [/\bways? on\b/i, 'next link, path'],
  [/\bin turn\b/i, 'round robin, one after the other'],
];

/** Words of the cleanest rooms: they have an ordinary use in others. */
const AMBIGUOUS: readonly (readonly [RegExp, instead: string])[] = [
  [/\bat once\b/i, 'immediately, concurrently'],
  [/\b(?:a|by|its|of|one|same|their|takes?) turns?\b/i, 'iteration, round robin'],
  [/\b(?:no|make|makes|takes?|leaves?|without) (?:room|place)\b|\bplaces\b/i, 'semaphore, limit, position'],
  [/\bbehind\b/i, 'after'],
  [/\bapart\b(?! from)/i, 'separate'],
  [/\bnote[ds]?\b/i, 'record'],
  [/\bfinders?\b/i, 'derived columns'],
  [/\bfigures?\b/i, 'statistics, metrics, measurements'],
  [/\bwithheld\b/i, 'rejected'],
  [/(?<!-)\bgone\b/i, 'deleted, disconnected'],
  [/\bmoments?\b/i, 'snapshot'],
  [/\bwho(?:m|se)? (?:asks|has|is)\b|\bwhatever becomes\b/i, 'client, caller'],
];

/** Names of options, which are for those who type them. */
const OPTIONS: ReadonlySet<string> = new Set(['changes_kept']);

const TITLE = /\b(?:describe|test)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** The titles of tests in a text, each with its line. */
function titlesOf(text: string): Located[] {
  return Array.from(text.matchAll(TITLE), ({ index, 1: single, 2: double, 3: template }) => ({
    line: lineCount(text.slice(0, index + 1)),
    text: single ?? double ?? template ?? '',
  }));
}

/** `openDoor`, `MAX_TOLD_FAULTS` and `#kept` as words in lower case; `roundTrip` stays one. */
function wordsOf(identifier: string): string[] {
  const spaced = identifier.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, ' ').toLowerCase();
  return spaced.replaceAll(/\bround trip/g, 'round-trip').split(' ');
}

function strayedComments(isStrayed: (text: string) => boolean, from = every): string[] {
  const shown = ({ path }: Source, { line, text }: Located) => `${path}:${line}: ${text.trim()}`;
  return from.flatMap((source) =>
    source.comments.filter(({ text }) => isStrayed(text)).map((comment) => shown(source, comment)),
  );
}

describe('words', () => {
  for (const [word, instead] of PRIVATE_WORDS) {
    test(`comments say "${instead}", not ${word.source}`, () => {
      assert.deepEqual(
        strayedComments((text) => word.test(text)),
        [],
      );
    });
  }

  for (const [word, instead] of PRIVATE_VERBS) {
    test(`comments and titles of tests say "${instead}", not ${word.source}`, () => {
      const strayed = every.flatMap((source) => {
        const { path, comments, text } = source;
        const titles = path.endsWith('.test.ts') ? titlesOf(text) : [];
        return [...(path.startsWith('test/') ? [] : comments), ...titles]
          .filter((one) => word.test(one.text))
          .map((one) => `${path}:${one.line}: ${one.text.trim()}`);
      });
      assert.deepEqual(strayed, []);
    });
  }

  const strayedFrom = (word: RegExp, isClean: (path: string) => boolean) =>
    every
      .filter(({ path }) => isClean(path))
      .flatMap(({ path, comments, text }) =>
        [...comments, ...titlesOf(text)]
          .filter((one) => word.test(one.text))
          .map((one) => `${path}:${one.line}: ${one.text.trim()}`),
      );

  for (const [word, instead] of NOT_STANDARD) {
    test(`clean rooms say "${instead}", not ${word.source}`, () => {
      const isClean = (path: string) =>
        CLEAN_ROOMS.some((room) => path.startsWith(room)) || CLEANEST_ROOMS.test(path);
      assert.deepEqual(strayedFrom(word, isClean), []);
    });
  }

  for (const [word, instead] of AMBIGUOUS) {
    test(`the cleanest rooms say "${instead}", not ${word.source}`, () => {
      assert.deepEqual(
        strayedFrom(word, (path) => CLEANEST_ROOMS.test(path)),
        [],
      );
    });
  }

  test('identifiers are made of words that the field knows', () => {
    const strayed = every.flatMap(({ path, identifiers }) => {
      const names = new Map(identifiers.map(({ text, line }) => [text, line]));
      return [...names].flatMap(([name, line]) => {
        const word = OPTIONS.has(name) ? undefined : wordsOf(name).find((one) => PRIVATE_PARTS.has(one));
        return word === undefined ? [] : [`${path}:${line}: ${name}, rather ${PRIVATE_PARTS.get(word)}`];
      });
    });
    assert.deepEqual(strayed, []);
  });

  test('rules are cited from docs/generated/api.md or an RFC, which a reader of the repository has', () => {
    const cited = tree.filter((path) => /\.(?:[cm]?[jt]sx?|md|sql|css|json|sh)$/.test(path));
    const strayed = cited.filter((path) => CONTRACT_SECTION.test(readFileSync(join(ROOT, path), 'utf8')));
    assert.deepEqual(strayed, []);
  });
});

/** Written so that it does not match itself. */
const CONTRACT_SECTION = /[(]contract, sections?\b/;

describe('what is installed is what was meant', () => {
  const manifests = tree.filter((path) => basename(path) === 'package.json');
  const NOT_SHIPPED = /^(?:package\.json|tsconfig\..+|README\.md|.+\.tsx?)$/;

  test('what a published workspace holds in addition to its code is among its `files`', () => {
    for (const manifest of manifests) {
      const { publishConfig, files = [] } = JSON.parse(readFileSync(join(ROOT, manifest), 'utf8'));
      if (publishConfig === undefined) continue;
      const folder = dirname(manifest);
      const beside = filesBelow(folder)
        .map((path) => relative(folder, path).split(sep).join('/'))
        .filter((path) => !NOT_SHIPPED.test(path) && !files.some((file: string) => path.startsWith(file)));
      assert.deepEqual(beside, [], folder);
    }
  });

  test('every dependency is pinned to one version', () => {
    for (const path of manifests) {
      const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        for (const [name, version] of Object.entries<string>(manifest[kind] ?? {})) {
          assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${path}: ${name}`);
        }
      }
    }
  });

  test('each lock names every platform’s packages and nobody’s download address (`npm run lock`)', () => {
    interface Entry {
      readonly resolved?: string;
      readonly link?: boolean;
      readonly optionalDependencies?: object;
    }
    for (const file of tree.filter((path) => basename(path) === 'package-lock.json')) {
      const lock = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
      for (const [path, entry] of Object.entries<Entry>(lock.packages)) {
        if (entry.link !== true) assert.equal(entry.resolved, undefined, `${file}: ${path}`);
        const missing = Object.keys(entry.optionalDependencies ?? {}).filter(
          (name) =>
            ![`${path}/node_modules/${name}`, `node_modules/${name}`].some((place) => place in lock.packages),
        );
        assert.deepEqual(missing, [], `${file}: ${path}`);
      }
    }
  });
});

describe('these rules measure what they say', () => {
  const MEASURED = `// A file, as they come.
import type { Lists } from './lists.ts';
/**
 * A comment on three lines, with "strings" and {braces}.
 */
export class Reader {
  #kept = \`a \${[1, 2].map((i) => {
    return \`{ // no comment \${i} }\`;
  })}\`;
  read(pattern = /[{/*]/): string {
    const more: import('./more.ts').More = { a: '} // none' };
    return this.#kept + pattern.source + more.a; /* the end */
  }
}
export const one = async () => (await import('./two.ts')).two;
export * from './three.ts';
`;
  const parsed = parse('measured.ts', MEASURED);

  test('imports, those of types and those in the middle of a file too', () => {
    assert.deepEqual(parsed.imports.toSorted(), ['./lists.ts', './more.ts', './three.ts', './two.ts']);
    assert.equal(parsed.reExports, true);
    assert.equal(importedFile('server/lists/list.ts', '../store/sql.ts'), 'server/store/sql.ts');
    assert.equal(importedFile('server/lists/list.ts', 'node:fs'), undefined);
  });

  test('functions, with the lines from their first to their last', () => {
    assert.deepEqual(
      parsed.functions.toSorted((a, b) => a.line - b.line),
      [
        { line: 7, lines: 3 },
        { line: 10, lines: 4 },
        { line: 15, lines: 1 },
      ],
    );
  });

  test('comments, and not what looks like one in a text or a pattern', () => {
    assert.deepEqual(
      parsed.comments.map(({ line }) => line),
      [1, 3, 4, 5, 12],
    );
    assert.equal(parsed.code.includes('the end'), false);
    assert.equal(parsed.code.includes('// no comment'), true);
  });

  test('identifiers, private ones too', () => {
    assert.deepEqual(
      parsed.identifiers.filter(({ text }) => text === 'kept').map(({ line }) => line),
      [7, 12],
    );
    assert.deepEqual(wordsOf('MAX_TOLD_FAULTS'), ['max', 'told', 'faults']);
    assert.deepEqual(wordsOf('openDoor'), ['open', 'door']);
    assert.deepEqual(wordsOf('perRoundTrip'), ['per', 'round-trip']);
  });

  test('titles of tests, in whatever quotes', () => {
    const text = `describe('one', () => {\n  test(\`two \${x}\`, () => {});\n  test("it's", () => {});\n});\n`;
    assert.deepEqual(titlesOf(text), [
      { line: 1, text: 'one' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the title is a template, as text.
      { line: 2, text: 'two ${x}' },
      { line: 3, text: "it's" },
    ]);
  });

  test('lines of a file', () => {
    assert.equal(lineCount(MEASURED), 16);
    assert.equal(lineCount(''), 0);
  });

  test('circles, through however many files', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', ['e']],
      ['e', []],
      ['f', ['f']],
    ]);
    assert.deepEqual(circles(imports), [['a', 'b', 'c'], ['f']]);
  });

  test('a text that does not parse is no text without faults', () => {
    assert.throws(() => parse('broken.ts', 'const = ;'), /broken\.ts/);
  });
});
