// A real browser for the tests that look at pages: the Chromium of the machine, or one sentence on how to get
// it.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one without a window first: it does the same for half of the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
/**
 * In place of the driver's own list, since the last one counts: that one turns the partitions of storage off,
 * without which Chromium refuses a frame of another site all storage. These do nothing but call home.
 */
const AS_PEOPLE_HAVE_IT = '--disable-features=MediaRouter,OptimizationHints';

const executablePath = PLACES.find((place) => existsSync(place));

/** What `skip` of a test takes: `false` where there is a browser, else why not and what to do about it. */
export const NO_BROWSER =
  executablePath === undefined &&
  'needs Chromium or Chrome, for example `apt-get install chromium-headless-shell`';

export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`This ${String(NO_BROWSER)}.`);
  return chromium.launch({ executablePath, args: [...QUIET, AS_PEOPLE_HAVE_IT] });
}
