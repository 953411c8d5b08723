// Builds the console's static files in console/dist, each also compressed. With `--serve [URL]` it serves the
// sources instead, reloads what changes, and proxies API requests to the service at URL.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, createServer, type InlineConfig } from 'vite';

const DEFAULT_SERVICE = 'http://127.0.0.1:8080';
/** Read by browsers of any age, so not built. */
const STARTING = 'starting.js';
/** Fonts are already compressed. */
const COMPRESSIBLE = /\.(?:js|css|svg|json)$/;

/** One file for each that a view needs: it compresses better, and takes one request. Earlier ones win. */
const GROUPS = [
  { name: 'index', tags: ['$initial' as const], priority: 3 },
  // The sign-in's, and what lists have in common with it.
  { name: 'sign-in', test: /shell.sign-in\.tsx/, priority: 2 },
  // The figures of lists and of the overview.
  { name: 'figures', test: /console.(?:glance|waiting|list.news)|useQueries/, priority: 1 },
  { name: 'list', test: /list.list-page\.tsx/, priority: 0 },
];

const config: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  // Relative to the page: the server knows its own prefix.
  base: './',
  // React is Preact (docs/decisions/042-preact.md).
  resolve: {
    alias: [
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react\/jsx-(?:dev-)?runtime$/, replacement: 'preact/jsx-runtime' },
      { find: /^react(?:-dom)?$/, replacement: join(import.meta.dirname, 'react.js') },
    ],
  },
  logLevel: 'warn',
  build: {
    target: 'es2023',
    // Browsers that know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // The policy of the page allows no data: address.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: { codeSplitting: { groups: GROUPS } },
      // Mantine's "use client" is for servers that render.
      checks: { moduleLevelDirective: false },
    },
  },
};

/** Moves it to the other files, under a name that changes with it. */
function addStarting(folder: string): void {
  const text = readFileSync(join(import.meta.dirname, STARTING));
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const name = `assets/${STARTING.replace('.', `-${hash}.`)}`;
  writeFileSync(join(folder, name), text);
  const page = join(folder, 'index.html');
  writeFileSync(page, readFileSync(page, 'utf8').replace(`./${STARTING}`, `./${name}`));
}

interface Built {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** What the page of an address needs early, after the files of the first script: a language, or a page. */
const EARLY = /^(?:texts\/(\w+)(?:-\w+)?|(overview)\/overview|(\w+)\/\3-page|shell\/(sign)-in)\.tsx?$/;

/** The files of a part, with those that it imports. */
function filesOf(part: Built | undefined, built: Readonly<Record<string, Built>>): ReadonlySet<string> {
  if (part === undefined) return new Set();
  return new Set([part.file, ...(part.imports ?? []).flatMap((one) => [...filesOf(built[one], built)])]);
}

/** Names in the page what it needs early: the font, and for starting.js the languages and pages. */
function addPreloads(folder: string): void {
  const manifest = readFileSync(join(folder, '.vite/manifest.json'), 'utf8');
  const built = JSON.parse(manifest) as Readonly<Record<string, Built>>;
  const page = join(folder, 'index.html');
  const before = readFileSync(page, 'utf8');
  const early = Object.entries(built).flatMap(([name, chunk]) => {
    const part = EARLY.exec(name)?.slice(1).join('') ?? '';
    const files = [...filesOf(chunk, built)]
      .map((file) => `./${file}`)
      .filter((file) => !before.includes(file));
    return part === '' ? [] : [` data-${part}="${files.join(' ')}"`];
  });
  const font = Object.values(built).find(({ file }) => file.includes('/inter-latin-wght-'));
  if (early.length === 0 || font === undefined) throw new Error('The build has no languages or no font.');
  const link = `<link rel="preload" href="./${font.file}" as="font" type="font/woff2" crossorigin />`;
  const text = before
    .replace(/(?=src="[^"]*starting)/, () => `${early.join('').trim()} `)
    .replace('</head>', () => `  ${link}\n  </head>`);
  writeFileSync(page, text);
}

function compressAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  }
}

const [, , option, service = DEFAULT_SERVICE] = process.argv;
if (option === '--serve') {
  const server = await createServer({ ...config, base: '/', server: { proxy: { '/api': service } } });
  await server.listen();
  for (const url of server.resolvedUrls?.local ?? []) {
    console.log(`The console is at ${url}. It reloads what changes, and asks the service at ${service}.`);
  }
  console.log('Sample accounts and a token to sign in with: npm start. Ctrl+C stops the console.');
} else {
  await build(config);
  addStarting(join(import.meta.dirname, 'dist'));
  addPreloads(join(import.meta.dirname, 'dist'));
  compressAll(join(import.meta.dirname, 'dist'));
}
