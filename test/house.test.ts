// The plan of the code, kept honest: reads the tree as it stands and says what has strayed. Knows nothing of what the
// code does.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage']);
const CODE = /\.[cm]?tsx?$/;

interface Source {
  /** From the root, with `/`: `server/lists/list.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments on lines of their own. */
  readonly code: string;
  /** What it imports, types included: `node:fs`, `fastify`, `./sql.ts`. */
  readonly imports: readonly string[];
}

const IMPORT =
  /^(?:import\b|export\s+(?:type\s+)?[*{])[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;
const COMMENT_LINE = /^\s*(?:\/\/|\/\*|\*(?!\w)).*$/gm;
const RE_EXPORT = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s*from\b)/m;

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) || entry.name === '.git' ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = text.replace(COMMENT_LINE, '');
  const imports = [...code.matchAll(IMPORT)].map(([, from, other]) => from ?? other ?? '');
  return { path: path.split(sep).join('/'), text, code, imports };
}

const tree = filesBelow('.');
const every = tree.filter((path) => CODE.test(path)).map(read);
const sources = every.filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('test/'));
const inside = (...folders: string[]) =>
  sources.filter(({ path }) => folders.includes(path.split('/')[0] ?? ''));
const paths = (strayed: readonly Source[]) => strayed.map(({ path }) => path);

/** Who may touch what: everybody else in the published workspaces goes through them. */
const DOORS: readonly {
  readonly title: string;
  readonly may: readonly string[];
  /** What to call them, where they are many. */
  readonly who?: string;
  readonly imports?: RegExp;
  readonly code?: RegExp;
}[] = [
  {
    title: 'reads the environment',
    may: ['cli/config.ts', 'server/config.ts'],
    imports: /^(?:node:)?process$/,
    code: /\bprocess\s*\.\s*env\b/,
  },
  {
    title: 'imports the HTTP framework',
    may: ['server/http/http.ts', 'server/http/lists.ts'],
    imports: /^@?fastify\b/,
  },
  {
    title: 'imports a database driver',
    may: inside('server').flatMap(({ path }) =>
      /^server\/store\/(?:sqlite|postgres)\//.test(path) ? [path] : [],
    ),
    who: 'the files of a store',
    imports: /^(?:node:sqlite|pg|pg-.+)$/,
  },
  {
    title: 'imports the parser of command lines',
    may: ['cli/program.ts', 'server/main.ts'],
    imports: /^commander$/,
  },
  { title: 'imports the protocol of agents', may: ['cli/mcp.ts'], imports: /^@modelcontextprotocol\// },
  { title: 'makes a Date', may: ['api/contract/timestamp.ts', 'cli/times.ts'], code: /\bnew Date\b/ },
];

describe('each door has its keeper', () => {
  for (const { title, may, who = may.join(', '), imports, code } of DOORS) {
    test(`nobody but ${who} ${title}`, () => {
      const touches = (source: Source) =>
        source.imports.some((name) => imports?.test(name)) || code?.test(source.code) === true;
      const strayed = inside('api', 'cli', 'server').filter(
        (source) => touches(source) && !may.includes(source.path),
      );
      assert.deepEqual(paths(strayed), []);
    });
  }

  test('api/ imports nobody outside api/', () => {
    const strayed = inside('api').filter(({ imports }) =>
      imports.some(
        (name) =>
          !/^(?:\.\/|\.\.\/(?:client|contract|lists|openapi)\/)[\w-]+\.ts$|^\.\/\w+\/[\w-]+\.ts$/.test(name),
      ),
    );
    assert.deepEqual(paths(strayed), []);
  });

  test('only api/index.ts re-exports', () => {
    const strayed = sources.filter(({ path, code }) => path !== 'api/index.ts' && RE_EXPORT.test(code));
    assert.deepEqual(paths(strayed), []);
  });

  test('workspaces meet by their public names, not by paths into each other', () => {
    const strayed = inside('api', 'cli', 'server').filter(({ path, imports }) => {
      const toTheRoot = '../'.repeat(path.split('/').length - 1);
      return imports.some((name) => name.startsWith(toTheRoot));
    });
    assert.deepEqual(paths(strayed), []);
  });
});

describe('files say what they are', () => {
  test('no file is named after what it is not', () => {
    const vague = /^(?:utils?|common|shared|helpers?|types|misc)\./;
    assert.deepEqual(paths(every.filter(({ path }) => vague.test(basename(path)))), []);
  });

  test('every source file opens with a comment', () => {
    const silent = sources.filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(text));
    assert.deepEqual(paths(silent), []);
  });
});

describe('what is installed is what was meant', () => {
  const manifests = tree.filter((path) => basename(path) === 'package.json');
  const NOT_SHIPPED = /^(?:package\.json|tsconfig\..+|README\.md|.+\.tsx?)$/;

  test('what a published workspace holds beside its code is among its `files`', () => {
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
