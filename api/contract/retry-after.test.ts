// What `Retry-After` says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterSeconds } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 30);

test('Retry-After is whole seconds, or a time in one of the three forms of HTTP, wherever the machine is', () => {
  const zone = process.env['TZ'];
  try {
    for (const TZ of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      process.env['TZ'] = TZ;
      for (const [text, seconds] of [
        ['0', 0],
        [' 120 ', 120],
        ['31536000', 31_536_000],
        ['Fri, 20 Nov 2026 09:30:30 GMT', 30],
        ['Friday, 20-Nov-26 09:30:30 GMT', 30],
        ['Fri Nov 20 09:30:30 2026', 30],
        ['Tue Dec  1 09:30:00 2026', 11 * 86_400],
        ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
        ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
        ['Friday, 20-Nov-70 09:30:30 GMT', Date.UTC(2070, 10, 20, 9, 30, 30) / 1_000 - NOW / 1_000],
        ['9'.repeat(400), Number.POSITIVE_INFINITY],
      ] as const)
        assert.equal(retryAfterSeconds(text, NOW), seconds, `${text} in ${TZ}`);
    }
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('what is no Retry-After asks for nothing', () => {
  for (const text of [
    undefined,
    null,
    '',
    'soon',
    '-5',
    '2.5',
    '+5',
    '1e3',
    '0x10',
    '5, 10',
    '١٢٠',
    '12 2999',
    '2999-01-01T00:00:00Z',
    'Fri, 20 Nov 2026 09:30:30 +0100',
    'Fri, 20 Nov 2026 9:30 GMT',
  ])
    assert.equal(retryAfterSeconds(text, NOW), undefined, String(text));
});
