// The files of the console: their paths, headers and content security policy. They are read once and served
// from memory. The page has the operator's name, logo, colours and own fields before any script runs.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { ownFacts } from '@linecard/client/contract/own-fields';
import { html } from '../reference/markup.ts';
import type { Declared } from '../store/lists/own-fields.ts';
import { acceptsCoding } from './accept.ts';
import { type Brand, type Logo, OWN_BRAND, styleOf } from './brand.ts';
import { madeOnce } from './described.ts';

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
/**
 * Only same-origin files and requests; nothing inline but the operator's colours; framed by pages of these
 * origins alone.
 */
const policy = (style: string, frameAncestors: readonly string[]) =>
  [
    "default-src 'none'",
    ...['script', 'style', 'img', 'font', 'connect', 'manifest'].map(
      (what) => `${what}-src 'self'${what === 'style' ? style : ''}`,
    ),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
/** An address of its own is no page: nothing in it runs, and nothing is loaded. */
const PICTURE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
const FOREVER = 'public, max-age=31536000, immutable';
const SAFE = { 'referrer-policy': 'no-referrer' };
const NONE_DECLARED: Declared = {};

const LISTS = Object.values<List>(lists).map(({ name }) => `/${name.replaceAll('_', '-')}`);
/** Of all views. */
const PATHS = ['/', '/activity', '/notifications', ...LISTS, ...LISTS.map((list) => `${list}/:id`)];

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
    'cache-control': FOREVER,
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

/** The address of a logo changes with the picture. */
export function logoRoutes({ logo, logoDark }: Brand): ConsoleRoute[] {
  const routes = [logo, logoDark].flatMap((one): [string, ConsoleRoute][] => {
    if (one === undefined) return [];
    const headers = {
      ...SAFE,
      'content-type': one.type,
      'cache-control': FOREVER,
      'content-security-policy': PICTURE,
    };
    return [[one.path, { url: one.path, answer: () => ({ headers, body: one.bytes }) }]];
  });
  return [...new Map(routes).values()];
}

/** The page as it is built, with what is the operator's in place of Linecard's. */
function brandedPage(built: string, base: string, brand: Brand, style: string): string {
  const { name, logo, logoDark, supportUrl } = brand;
  const data = (key: string, value: string | undefined) =>
    value === undefined ? { html: '' } : html` data-${key}="${value}"`;
  const url = (one: Logo | undefined) => one && base + one.path;
  const icon = (one: Logo, media: string) =>
    html`<link rel="icon" href="${base}${one.path}" type="${one.type}" media="(prefers-color-scheme: ${media})" />`;
  const attributes = [
    data('name', name),
    data('logo', url(logo)),
    data('logo-dark', url(logoDark)),
    data('wide', logo?.isWide ? 'true' : undefined),
    data('support', supportUrl),
  ];
  const page = built
    .replace('<title>Linecard</title>', () => html`<title>${name}</title>`.html)
    .replace('<div id="console">', () => html`<div id="console"${attributes}>`.html)
    .replace('</head>', () => `${style === '' ? '' : `<style>${style}</style>`}</head>`);
  if (logo === undefined) return page;
  const icons = icon(logo, 'light').html + icon(logoDark ?? logo, 'dark').html;
  return page.replace(/<link rel="icon"[^>]*>/, () => icons);
}

/** The page with what is declared of the lists; the same without. */
function withOwnFields(page: string, declared: Declared): string {
  const fields = Object.entries(declared).map(([list, own]) => [list, own.fields.map(ownFacts)]);
  if (fields.length === 0) return page;
  const text = JSON.stringify(Object.fromEntries(fields));
  return page.replace('<div id="console"', () => html`<div id="console" data-fields="${text}"`.html);
}

/**
 * Returns no routes if the console is not built. `base` is the path under which a proxy serves Linecard,
 * `frameAncestors` the origins whose pages may frame the console, `declared` the operator's own fields.
 */
export function consoleRoutes(
  base = '',
  brand = OWN_BRAND,
  frameAncestors: readonly string[] = [],
  declared: () => Declared = () => NONE_DECLARED,
): ConsoleRoute[] {
  const folder = FOLDERS.find((one) => existsSync(join(one, 'index.html')));
  if (folder === undefined) return [];
  const assets = join(folder, 'assets');
  const endings: readonly string[] = Object.values(CODINGS);
  const names = readdirSync(assets).filter((name) => !endings.includes(extname(name)));
  const built = readFileSync(join(folder, 'index.html'), 'utf8').replaceAll('"./assets/', `"${base}/assets/`);
  const style = styleOf(brand);
  const hash = createHash('sha256').update(style).digest('base64');
  const headers = {
    ...SAFE,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policy(style === '' ? '' : ` 'sha256-${hash}'`, frameAncestors),
  };
  const branded = brand === OWN_BRAND ? built : brandedPage(built, base, brand, style);
  const page = madeOnce(declared, (now) => ({ headers, body: Buffer.from(withOwnFields(branded, now)) }));
  return [...names.map((name) => assetRoute(assets, name)), ...PATHS.map((url) => ({ url, answer: page }))];
}

/** Whether the console shows a view at a path: of an item, a comparison or ranges, too. */
export function isConsolePath(path: string): boolean {
  return (
    !path.includes(':') &&
    PATHS.includes(path.replace(/(?<=.)\/(?:\d+|ranges|(?:compare|ranges)-[a-z0-9_]+)$/, '/:id'))
  );
}

/** The address of the font that the page requests early, for other pages; none without a console. */
export function fontOf(routes: readonly ConsoleRoute[]): string | undefined {
  const { body } = pageOf(routes)?.() ?? {};
  return /rel="preload" href="([^"]+\.woff2)"/.exec(body?.toString() ?? '')?.[1];
}

/** The page of all views, which reads from its URL what to show. */
export function pageOf(routes: readonly ConsoleRoute[]): (() => ConsoleAnswer) | undefined {
  const route = routes.find(({ url }) => url === '/');
  return route && (() => route.answer(undefined));
}
