// The documentation is current: what follows from the contract is what `npm run docs` would write, links lead
// somewhere, and commands exist.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { DEFAULT_MAX_PAGE_SIZE } from '../../api/contract/contract.ts';
import { guide } from '../../api/openapi/guide.ts';
import { openapi } from '../../api/openapi/openapi.ts';
import { allCommands } from '../../cli/commands.ts';
import { groups } from '../../server/commands/commands.ts';
import { optionOf } from '../../server/settings/config.ts';
import { docs } from '../../tools/docs.ts';
import { checkBy } from '../kit/document-checks.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const made = docs();
const document = openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE });
/** What the script does not write: one paragraph of advice to each problem. */
const ADVICE = /<!-- end -->\s+\*\*What to do\.\*\* \S/g;

/** Where a link leads: a file, a heading or both; no address elsewhere, nor one of a running server. */
const LINK = /\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]*))?\)/g;

/** The headings of a page as links name them. */
const headings = new Map<string, ReadonlySet<string>>();
function anchorsOf(path: string): ReadonlySet<string> {
  const known = headings.get(path);
  if (known !== undefined) return known;
  const found = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const anchors = new Set(found);
  headings.set(path, anchors);
  return anchors;
}

test('every link between the documents and the sources leads to a file, and to a heading of it', () => {
  const pages = globSync(['*.md', '*/README.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['node_modules'] });
  assert.ok(pages.length > 10);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)]
      .filter(([, path = '', heading]) => {
        const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
        return !existsSync(file) || (heading !== undefined && !anchorsOf(file).has(heading));
      })
      .map(([link]) => `${page}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

describe('generated documentation', () => {
  for (const [path, text] of made) {
    test(`${path} is what \`npm run docs\` writes`, () => {
      assert.ok(
        readFileSync(join(ROOT, path), 'utf8') === text,
        `${path} is out of date: run \`npm run docs\``,
      );
    });
  }

  test('every problem comes with what to do about it', () => {
    const text = made.get('docs/generated/problems.md') ?? '';
    assert.equal(text.match(ADVICE)?.length, text.match(/<!-- end -->/g)?.length);
  });
});

/** JSON in a page that begins with what an answer of the API begins with, on however many lines. */
function answersOf(text: string): unknown[] {
  const blocks = [...text.matchAll(/```(json|console)\n(.*?)```/gs)];
  return blocks.flatMap(([, lang, source = '']) => {
    if (lang === 'json') return [JSON.parse(source)];
    const answers = [...source.matchAll(/^\{.*?(?=\n\n|\n\$|(?![\s\S]))/gms)];
    return answers.map(([answer]) => JSON.parse(answer.replaceAll('\n', '')));
  });
}

test('every answer in the README and the guide is one that the OpenAPI document allows', () => {
  const fits = checkBy(document);
  const schemas = Object.keys(document.components.schemas).map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }));
  const pages = [
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
    ...guide(DEFAULT_MAX_PAGE_SIZE, []).map(({ text }) => text),
  ];
  const answers = pages.flatMap(answersOf).filter((answer) => !Object.hasOwn(answer as object, 'mcpServers'));
  assert.ok(answers.length >= 7);
  for (const answer of answers) {
    assert.ok(
      schemas.some((schema) => fits(schema, answer) === ''),
      JSON.stringify(answer),
    );
  }
});

describe('commands in the documents', () => {
  const serverCommands = groups.flatMap(({ name, commands }) =>
    commands.map(({ words, takes }) => ({
      words: [name, ...words.split(' ')].filter((word) => word !== '' && !/^[<[]/.test(word)),
      options: takes.map(optionOf) as readonly string[],
    })),
  );
  const customerCommands = allCommands().map(({ words, options }) => ({
    words,
    options: options.flatMap(({ name }) => [`--${name}`, `--no-${name}`]),
  }));
  const COMMAND = /(?:^|[`(]|\$ |&& |\| |-u linecard )(linecard(?:-server)?) ((?:[^`\n\\|;&<>]|\\\n)+)/gm;

  /** What is wrong with a command as it is typed; nothing where it stands for several. */
  function faultOf(program: string, typed: string): string | undefined {
    const words = typed.split(/[\s\\]+/).map((word) => word.replace(/[.,:)]+$/, ''));
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*$/, ''));
    const known = program === 'linecard' ? customerCommands : serverCommands;
    const named = known.filter((command) => command.words.every((word) => words.includes(word)));
    const best = named.toSorted((a, b) => b.words.length - a.words.length)[0];
    if (best === undefined) return typed === '--help' ? undefined : 'no such command';
    // Fields that an operator declares are options of their own.
    const isKnown = (option: string) =>
      option === '--help' || /^--(?:no-)?(?:has-)?x-/.test(option) || best.options.includes(option);
    const strange = options.find((option) => !isKnown(option));
    return strange === undefined ? undefined : `${best.words.join(' ')} has no ${strange}`;
  }

  test('exist, and take the options that are shown', () => {
    const documents = globSync(['README.md', '*/README.md', 'docs/**/*.md'], {
      cwd: ROOT,
      exclude: ['node_modules'],
    });
    const faults = documents.flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return [...text.matchAll(COMMAND)].flatMap(([, program = '', typed = '']) => {
        if (!/^(?:-|[a-z])/.test(typed)) return [];
        const fault = faultOf(program, typed.trim());
        return fault === undefined ? [] : [`${path}: ${program} ${typed.trim()}: ${fault}`];
      });
    });
    assert.deepEqual(faults, []);
  });
});
