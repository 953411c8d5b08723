// The files of the console: their paths, headers and content security policy. They are read once and served
// from memory.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { acceptsCoding } from './accept.ts';

/** In the folder of the compiled server, or in the repository. */
const FOLDERS = ['../console/', '../../console/dist/'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** Smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;
/** Only same-origin files and requests; nothing inline; framed only by pages of these origins. */
const policyFor = (frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((what) => `${what}-src 'self'`),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
const SAFE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

const LISTS = Object.values<List>(lists).map(({ name }) => `/${name.replaceAll('_', '-')}`);
/** Of all views. */
const PATHS = ['/', ...LISTS, ...LISTS.map((list) => `${list}/:id`)];

export interface ConsoleAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ConsoleRoute {
  readonly url: string;
  readonly answer: (acceptEncoding: string | undefined) => ConsoleAnswer;
}

function assetRoute(folder: string, name: string): ConsoleRoute {
  const read = (ending = '') => readFileSync(join(folder, name + ending));
  const headers = {
    ...SAFE,
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    // The file name contains a hash of the content.
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  };
  const plain = { headers, body: read() };
  const coded = Object.entries(CODINGS).flatMap(([coding, ending]) => {
    if (!existsSync(join(folder, name + ending))) return [];
    return [{ coding, answer: { headers: { ...headers, 'content-encoding': coding }, body: read(ending) } }];
  });
  return {
    url: `/assets/${name}`,
    answer: (accepted) => coded.find(({ coding }) => acceptsCoding(accepted, coding))?.answer ?? plain,
  };
}

/**
 * Returns no routes if the console is not built. `base` is the path under which a proxy serves Linecard,
 * `frameAncestors` the origins whose pages may frame the console.
 */
export function consoleRoutes(base = '', frameAncestors: readonly string[] = []): ConsoleRoute[] {
  const folder = FOLDERS.find((one) => existsSync(join(one, 'index.html')));
  if (folder === undefined) return [];
  const assets = join(folder, 'assets');
  const endings: readonly string[] = Object.values(CODINGS);
  const names = readdirSync(assets).filter((name) => !endings.includes(extname(name)));
  const page: ConsoleAnswer = {
    headers: {
      ...SAFE,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': policyFor(frameAncestors),
    },
    body: Buffer.from(
      readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('"./assets/', `"${base}/assets/`),
    ),
  };
  return [
    ...names.map((name) => assetRoute(assets, name)),
    ...PATHS.map((url) => ({ url, answer: () => page })),
  ];
}

/** Whether the console shows a view at a path. */
export function isConsolePath(path: string): boolean {
  return !path.includes(':') && PATHS.includes(path.replace(/(?<=.)\/\d+$/, '/:id'));
}

/** The page of all views, which reads from its URL what to show. */
export function pageOf(routes: readonly ConsoleRoute[]): ConsoleAnswer | undefined {
  return routes.find(({ url }) => url === '/')?.answer(undefined);
}
