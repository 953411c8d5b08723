// The console's built files: which addresses they have, what is answered there, and what they may do in a
// browser. Read once, answered from memory.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { acceptsCoding } from './accept.ts';

/** Beside the compiled server, or in the repository. */
const PLACES = ['../console/', '../../console/dist/'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** The smallest first. */
const CODINGS = { br: '.br', gzip: '.gz' } as const;
/**
 * Scripts and styles come from here and from nowhere else, none stands in the page, and nothing is sent
 * elsewhere.
 */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map((what) => `${what}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const SAFE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

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
    // The name changes with the content.
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
 * Every address of the console; none where it is not built. `base` is the path that a proxy put the service
 * under.
 */
export function consoleRoutes(base = ''): ConsoleRoute[] {
  const place = PLACES.find((folder) => existsSync(join(folder, 'index.html')));
  if (place === undefined) return [];
  const assets = join(place, 'assets');
  const endings: readonly string[] = Object.values(CODINGS);
  const names = readdirSync(assets).filter((name) => !endings.includes(extname(name)));
  const page: ConsoleAnswer = {
    headers: {
      ...SAFE,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
    body: Buffer.from(
      readFileSync(join(place, 'index.html'), 'utf8').replaceAll('"./assets/', `"${base}/assets/`),
    ),
  };
  const views = Object.values<List>(lists).map(({ name }) => `/${name.replaceAll('_', '-')}`);
  return [
    ...names.map((name) => assetRoute(assets, name)),
    ...['/', ...views, ...views.map((view) => `${view}/:id`)].map((url) => ({ url, answer: () => page })),
  ];
}

/** The page of every view, which finds out from its address what to show. */
export function pageOf(routes: readonly ConsoleRoute[]): ConsoleAnswer | undefined {
  return routes.find(({ url }) => url === '/')?.answer(undefined);
}
