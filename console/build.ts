// Builds the console's static files in console/dist, each also compressed. With `--serve [URL]` it serves the
// sources instead, reloads what changes, and proxies API requests to the service at URL.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, createServer, type InlineConfig } from 'vite';

const DEFAULT_SERVICE = 'http://127.0.0.1:8080';
/** Read by browsers of any age, so not built. */
const STARTING = 'starting.js';
/** Fonts are already compressed. */
const COMPRESSIBLE = /\.(?:js|css|svg|json)$/;

const config: InlineConfig = {
  root: import.meta.dirname,
  configFile: false,
  // Relative to the page: the server knows its own prefix.
  base: './',
  plugins: [react()],
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
    // One file for all that the first view needs: it compresses better, and takes one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } } },
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

/** Names in the page what it needs early: the font, and for starting.js the languages and the overview. */
function addPreloads(folder: string): void {
  const manifest = readFileSync(join(folder, '.vite/manifest.json'), 'utf8');
  const built = JSON.parse(manifest) as Readonly<Record<string, { readonly file: string }>>;
  const early = Object.entries(built).flatMap(([name, { file }]) => {
    const [, part] = /^(?:texts|overview)\/(\w+)(?:-\w+)?\.tsx?$/.exec(name) ?? [];
    return part === undefined ? [] : [` data-${part}="./${file}"`];
  });
  const font = Object.values(built).find(({ file }) => file.includes('/inter-latin-wght-'));
  if (early.length === 0 || font === undefined) throw new Error('The build has no languages or no font.');
  const link = `<link rel="preload" href="./${font.file}" as="font" type="font/woff2" crossorigin />`;
  const page = join(folder, 'index.html');
  const text = readFileSync(page, 'utf8')
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
  server.printUrls();
} else {
  await build(config);
  addStarting(join(import.meta.dirname, 'dist'));
  addPreloads(join(import.meta.dirname, 'dist'));
  compressAll(join(import.meta.dirname, 'dist'));
}
