// The operator's name: in the first bytes of the console, in /docs, llms.txt and the OpenAPI document; a logo
// that is a picture and nothing else; a colour that can be read.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { type Brand, brandOf, OWN_BRAND } from '../../server/http/brand.ts';
import { consoleRoutes } from '../../server/http/console.ts';
import { contrast, shades, unreadable } from '../../server/http/shades.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints } from '../kit/console-list.ts';
import { sharedBrowser } from '../kit/console-visits.ts';
import { DemoServer, SMALL_FIRM } from '../kit/demo-server.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const NAME = 'Nørd & <Söhne> "Voice"';
const ESCAPED = 'Nørd &amp; &lt;Söhne&gt; &quot;Voice&quot;';
const COLOR = '#0b6e4f';
const SUPPORT = 'https://northwind.example/support?a=1&b=2';
const svg = (inside: string, attributes = 'viewBox="0 0 32 32"') =>
  `<?xml version="1.0"?>\n<!-- a logo -->\n<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>\n`;
const CIRCLE = '<circle cx="16" cy="16" r="14" fill="#0b6e4f"/>';

/** A PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) =>
    Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const folder = temporaryFolder();
let files = 0;
function file(content: string | Buffer): string {
  files += 1;
  const path = join(folder, `logo-${files}`);
  writeFileSync(path, content);
  return path;
}
const logoOf = (content: string | Buffer) => brandOf({ brand_logo: file(content) }).logo;

describe('a logo', () => {
  test('is an SVG or a PNG, whatever its file is called', () => {
    assert.equal(logoOf(svg(CIRCLE))?.type, 'image/svg+xml');
    assert.equal(logoOf(`\uFEFF${svg(CIRCLE)}`)?.type, 'image/svg+xml');
    assert.equal(logoOf(png(4, 4))?.type, 'image/png');
    assert.equal(logoOf(svg(CIRCLE).replaceAll('"', "'"))?.type, 'image/svg+xml');
    const exported = `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${svg('<g style="fill:url(#a)"><use xlink:href="#b"/></g>')}`;
    assert.equal(logoOf(exported)?.type, 'image/svg+xml');
  });

  test('that is more than twice as wide as high is the name', () => {
    assert.equal(logoOf(svg(CIRCLE))?.isWide, false);
    assert.equal(logoOf(svg(CIRCLE, ''))?.isWide, false);
    assert.equal(logoOf(svg(CIRCLE, 'viewBox="0 0 120 32"'))?.isWide, true);
    assert.equal(logoOf(svg(CIRCLE, 'width="120px" height="32px"'))?.isWide, true);
    assert.equal(logoOf(png(90, 30))?.isWide, true);
    assert.equal(logoOf(png(40, 30))?.isWide, false);
  });

  const refused: readonly [what: string, content: string | Buffer, why: RegExp][] = [
    ['a script', svg('<script>alert(1)</script>'), /has "<script" in it.*plain SVG, or as a PNG\.$/],
    ['a handler', svg('<circle onload="alert(1)" r="2"/>'), /has "onload=" in it/],
    ['another page', svg('<foreignObject><body/></foreignObject>'), /has "<foreignObject" in it/],
    ['a link', svg('<a href="javascript:alert(1)">x</a>'), /a logo must be a picture alone/],
    ['a picture from elsewhere', svg('<image xlink:href="https://x.example/a.png"/>'), /picture alone/],
    ['a style from elsewhere', svg('<style>@import "https://x.example"</style>'), /has "@import" in it/],
    ['a fill from elsewhere', svg('<g style="fill:url( \'https://x.example/#a\')"/>'), /picture alone/],
    [
      'an entity',
      `<!DOCTYPE svg [<!ENTITY a "b">]>${svg(CIRCLE)}`,
      /neither a PNG nor a complete SVG|picture alone/,
    ],
    ['no namespace', '<svg viewBox="0 0 1 1"></svg>', /neither a PNG nor a complete SVG with xmlns=/],
    ['half a file', svg(CIRCLE).slice(0, 90), /neither a PNG nor a complete SVG/],
    ['half a PNG', png(4, 4).subarray(0, 40), /is a PNG that is not complete/],
    ['a PNG without a size', Buffer.from('\x89PNG\r\n\x1a\nIEND', 'latin1'), /PNG that is not complete/],
    ['a page', '<!doctype html><svg xmlns="http://www.w3.org/2000/svg"></svg>', /neither a PNG nor/],
    ['too much', svg(`<desc>${'x'.repeat(262_144)}</desc>`), /has 257 KiB, and at most 256 are allowed/],
    ['nothing', '', /neither a PNG nor/],
  ];
  for (const [what, content, why] of refused) {
    test(`with ${what} is refused, and the start says why`, () => {
      assert.throws(() => logoOf(content), why);
    });
  }

  test('that cannot be read, or is for dark ground alone, is refused', () => {
    assert.throws(() => brandOf({ brand_logo: join(folder, 'none') }), /--brand-logo cannot be read: ENOENT/);
    assert.throws(
      () => brandOf({ brand_logo_dark: file(svg(CIRCLE)) }),
      /--brand-logo-dark has no effect without --brand-logo/,
    );
  });
});

describe('a name without a logo', () => {
  test('has its first letter on its colour', () => {
    const { logo } = brandOf({ brand_name: '“<éole>”', brand_color: COLOR });
    assert.match(String(logo?.bytes), /<rect [^>]*fill="#0b6e4f"\/><text [^>]*>É<\/text>/);
    assert.equal(brandOf({ support_url: SUPPORT }).logo, undefined);
  });
});

describe('a service without a name', () => {
  test('is Linecard, byte for byte', () => {
    const page = (brand?: Brand) =>
      consoleRoutes('', brand)
        .find(({ url }) => url === '/')
        ?.answer(undefined);
    assert.equal(brandOf({}), OWN_BRAND);
    assert.deepEqual(page(brandOf({})), page());
    assert.match(String(page({ name: 'X' })?.body), /<title>X<\/title>/);
  });
});

describe('a colour', () => {
  test('that cannot be read on light ground is refused, with a shade that can', () => {
    for (const color of ['#ffcc00', '#63cdbd', '#ffffff', '#ff0000', '#7f7f7f']) {
      assert.throws(
        () => brandOf({ brand_color: color }),
        (error: Error) => {
          const [, instead = ''] = /(#[0-9a-f]{6}) would do\.$/.exec(error.message) ?? [];
          assert.equal(unreadable(instead), undefined, error.message);
          return true;
        },
      );
    }
  });

  test('has a contrast of 4.5:1 wherever it is text, in light and in dark', () => {
    const grounds = [
      ['#ffffff', '#f4f6f7', '#f1f5f5'],
      ['#0f1417', '#161d21', '#1c252a', '#1d272c'],
    ];
    for (const color of [COLOR, '#000000', '#0000ff', '#8b0000', '#5b2a86', '#0b6663']) {
      const found = shades(color);
      const pair = (name: string) => found[name]?.match(/#[0-9a-f]{6}/g) ?? [];
      assert.equal(pair('--accent')[0], color);
      for (const [scheme, all] of grounds.entries()) {
        const accent = pair('--accent')[scheme] ?? '';
        for (const ground of [...all, pair('--accent-soft')[scheme] ?? '', pair('--on-accent')[scheme] ?? ''])
          assert.ok(contrast(accent, ground) >= 4.5, `${accent} on ${ground}`);
      }
    }
  });
});

describe('a service with a name', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let server: DemoServer;
  let browser: Browser;
  let token: string;
  before(async () => {
    const logo = ['--brand-logo', file(svg(CIRCLE)), '--brand-logo-dark', file(png(30, 30))];
    const others = ['--brand-color', COLOR, '--support-url', SUPPORT, '--rate-limit', '0'];
    [server, browser] = await Promise.all([
      DemoServer.open('--brand-name', NAME, ...logo, ...others),
      sharedBrowser(),
    ]);
    token = (await server.token(SMALL_FIRM)).token;
  });
  after(async () => {
    await server?.remove();
  });

  const read = (path: string) => fetch(server.origin + path);

  test('says it in the first bytes of every page of the console, with its logo and colours', async () => {
    const page = await browser.newPage();
    for (const [path, status] of [
      ['/', 200],
      ['/virtual-numbers/41007', 200],
      ['/no/such/page', 404],
    ] as const) {
      const answer = await page.goto(server.origin + path);
      assert.ok(answer);
      const text = await answer.text();
      assert.equal(answer.status(), status);
      assert.ok(text.includes(`<title>${ESCAPED}</title>`), text);
      assert.ok(text.includes(`data-name="${ESCAPED}"`));
      assert.match(
        text,
        /data-logo="\/brand\/[0-9a-f]{16}\.svg" data-logo-dark="\/brand\/[0-9a-f]{16}\.png"/,
      );
      assert.doesNotMatch(text, /Linecard|icon-[\w-]+\.svg/);
      const [, style = ''] = /<style>(.*?)<\/style>/.exec(text) ?? [];
      assert.ok(style.includes(`--accent: light-dark(${COLOR}, #`), style);
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = answer.headers()['content-security-policy'] ?? '';
      assert.ok(policy.includes(`style-src 'self' 'sha256-${hash}';`), policy);
      assert.doesNotMatch(policy, /unsafe/);
    }
    await page.close();
  });

  test('serves the logo as a picture in which nothing runs', async () => {
    const [, path = ''] = /data-logo="([^"]+)"/.exec(await (await read('/')).text()) ?? [];
    const answer = await read(path);
    assert.equal(await answer.text(), svg(CIRCLE));
    assert.equal(answer.headers.get('content-type'), 'image/svg+xml');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'.*; sandbox$/);
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
  });

  test('says it in /docs, llms.txt and the OpenAPI document, and Linecard only where programs read it', async () => {
    const { info } = (await (await read('/openapi.json')).json()) as { info: { title: string } };
    assert.equal(info.title, NAME);
    const llms = await (await read('/llms.txt')).text();
    assert.ok(llms.startsWith(`# ${NAME}\n`) && llms.includes(SUPPORT), llms);
    for (const path of ['/docs', '/docs.md', '/llms.txt']) {
      const text = await (await read(path)).text();
      assert.doesNotMatch(text, /\bLinecard\b(?!-|\/)/, path);
    }
  });

  async function visit(
    look: (page: Page) => Promise<void>,
    path = '/',
    isSignedIn = true,
    part?: string,
  ): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      const strayed: string[] = [];
      page.on('console', (message) => strayed.push(message.text()));
      if (isSignedIn)
        await page.addInitScript((value) => sessionStorage.setItem('linecard-token', value), token);
      await page.goto(server.origin + path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await look(page);
        assert.deepEqual(await complaints(page, part, colorScheme === 'dark'), []);
      }
      assert.deepEqual(strayed, []);
    } finally {
      await context.close();
    }
  }

  const isLoaded = (page: Page, path: string) =>
    page.locator(`img[src$="${path}"]`).first().evaluate('one => one.decode()');

  test('looks like it in the console, in light and in dark', () =>
    visit(async (page) => {
      await page.locator('.overview-sentence').waitFor();
      assert.equal(await page.title(), `Overview · ${NAME}`);
      await page.getByRole('link', { name: NAME }).waitFor();
      const isDark =
        (await page.evaluate<string>(`getComputedStyle(document.body).backgroundColor`)) ===
        'rgb(15, 20, 23)';
      await isLoaded(page, isDark ? '.png' : '.svg');
    }));

  test('says it where a reader signs in, and leads to help', () =>
    visit(
      async (page) => {
        await page.getByRole('heading', { name: NAME }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Support' }).getAttribute('href'), SUPPORT);
      },
      '/',
      false,
    ));

  test('leads from an error to help', () =>
    visit(async (page) => {
      assert.equal(
        await page.locator('.trouble').getByRole('link', { name: 'Support' }).getAttribute('href'),
        SUPPORT,
      );
    }, '/virtual-numbers?status=active'));

  test('looks like it in /docs', () =>
    visit(
      async (page) => {
        await page.getByRole('link', { name: NAME }).first().waitFor();
        await page.getByRole('link', { name: 'Support', exact: true }).waitFor();
        await isLoaded(page, '.svg');
      },
      '/docs',
      false,
      // reference.long.test.ts looks at all of it.
      'header',
    ));

  test('does not start with settings that cannot be used', async () => {
    const { status, err } = await server.run('serve', '--port', '0', '--brand-color', '#ffcc00');
    assert.equal(status, 2);
    assert.match(err, /--brand-color #ffcc00 cannot be read on light ground.*would do\./s);
  });
});
