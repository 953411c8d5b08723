// Timestamps against Temporal, which shares nothing with the text arithmetic under test.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseTimestamp, timestampOf } from './timestamp.ts';

const RUNS = 2_000;

/**
 * The one form, by way of Temporal; six digits of year because it takes and gives years before 0001 that way
 * only.
 */
function byTemporal(date: string, time: string, fraction: string, offset: string): string | undefined {
  const instant = Temporal.Instant.from(`+00${date}T${time}${fraction}${offset}`);
  const text = instant.toString({ fractionalSecondDigits: 6 });
  if (/^[+-]/.test(text))
    return text.startsWith('+00') || text.startsWith('-000000') ? text.slice(3) : undefined;
  return text;
}

const READ: readonly [written: string, form: string][] = [
  ['2026-11-20T09:30:00.123456Z', '2026-11-20T09:30:00.123456Z'],
  ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.000000Z'],
  ['2026-11-20T09:30:00.1Z', '2026-11-20T09:30:00.100000Z'],
  ['2026-11-20T09:30:00.000001Z', '2026-11-20T09:30:00.000001Z'],
  ['2026-11-20t09:30:00z', '2026-11-20T09:30:00.000000Z'],
  ['2026-11-20T09:30:00+00:00', '2026-11-20T09:30:00.000000Z'],
  ['2026-11-20T09:30:00-00:00', '2026-11-20T09:30:00.000000Z'],
  ['2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00.000000Z'],
  ['2026-11-20T09:30:00 01:00', '2026-11-20T08:30:00.000000Z'],
  ['2026-11-20T09:30:00.999999-05:45', '2026-11-20T15:15:00.999999Z'],
  ['2026-01-01T00:00:00+00:01', '2025-12-31T23:59:00.000000Z'],
  ['2025-12-31T23:59:59-00:01', '2026-01-01T00:00:59.000000Z'],
  ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00.000000Z'],
  ['2023-03-01T00:30:00+01:00', '2023-02-28T23:30:00.000000Z'],
  ['1900-03-01T00:00:00+23:59', '1900-02-28T00:01:00.000000Z'],
  ['2000-03-01T00:00:00+23:59', '2000-02-29T00:01:00.000000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
  ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000000Z'],
  ['0000-01-01T00:00:00-00:01', '0000-01-01T00:01:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  // The leap second of RFC 3339: in the last minute of a UTC month, in whatever offset it is written.
  ['1990-12-31T23:59:60Z', '1990-12-31T23:59:60.000000Z'],
  ['1990-12-31T15:59:60-08:00', '1990-12-31T23:59:60.000000Z'],
  ['2017-01-01T00:59:60.5+01:00', '2016-12-31T23:59:60.500000Z'],
];

// biome-ignore format: a table
const REFUSED = [
  '', ' ', '2026', '2026-11-20', '2026-11-20T09:30Z', '2026-11-20T09:30:00', '2026-11-20 09:30:00Z', '2026-11-20T09:30:00.Z',
  '2026-11-20T09:30:00.1234567Z', '2026-11-20T09:30:00,5Z', '2026-11-20T09:30:00+1:00', '2026-11-20T09:30:00+0100',
  '2026-11-20T09:30:00+01', '2026-11-20T09:30:00+24:00', '2026-11-20T09:30:00+01:60', '2026-11-20T09:30:00Z+01:00',
  '2026-11-20T09:30:00+01:00[Europe/Berlin]', '2026-11-20T24:00:00Z', '2026-11-20T23:60:00Z', '2026-11-20T23:59:61Z',
  '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2026-04-31T00:00:00Z',
  '2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2100-02-29T00:00:00Z', '+002026-11-20T09:30:00Z', '-2026-11-20T09:30:00Z',
  '20261120T093000Z', '26-11-20T09:30:00Z', '12026-11-20T09:30:00Z', ' 2026-11-20T09:30:00Z', '2026-11-20T09:30:00Z ',
  '2026-11-20T09:30:00Z\n', '２０２６-11-20T09:30:00Z', '2026-11-20T09:30:00.١Z', '1795167000', 'now', 'null', 'Infinity',
  '0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01',
  '2026-11-20T12:00:60Z', '2026-11-20T23:59:60Z', '1990-12-31T23:59:60+01:00', '1990-12-30T23:59:60Z',
] as const;

describe('a timestamp', () => {
  for (const [written, form] of READ) {
    test(`${written} is ${form}`, () => assert.equal(parseTimestamp(written), form));
  }

  for (const text of REFUSED) {
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseTimestamp(text), undefined));
  }

  test('in the one form stays as it is', () => {
    for (const [, form] of READ) assert.equal(parseTimestamp(form), form);
  });

  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const date = fc
    .record({
      year: fc.integer({ min: 0, max: 9_999 }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.integer({ min: 1, max: 31 }),
    })
    .map(({ year, month, day }) => {
      // A day that the month does not have is moved to its last: the ends of months are what goes wrong.
      const there = Temporal.PlainDate.from({ year, month, day }, { overflow: 'constrain' });
      return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(there.day).padStart(2, '0')}`;
    });
  const time = fc.tuple(two(23), two(59), two(59)).map((parts) => parts.join(':'));
  const fraction = fc.oneof(
    fc.constant(''),
    fc
      .string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 1, maxLength: 6 })
      .map((digits) => `.${digits}`),
  );
  const offset = fc.oneof(
    fc.constant('Z'),
    fc.tuple(fc.constantFrom('+', '-'), two(23), two(59)).map(([sign, h, m]) => `${sign}${h}:${m}`),
  );

  test(`${RUNS} at random are what Temporal says`, () => {
    fc.assert(
      fc.property(date, time, fraction, offset, (d, t, f, o) => {
        assert.equal(parseTimestamp(`${d}T${t}${f}${o}`), byTemporal(d, t, f, o));
      }),
      { numRuns: RUNS },
    );
  });

  test('at random is refused or taken as Temporal does, whatever the day', () => {
    fc.assert(
      fc.property(fc.nat(9_999), fc.nat(14), fc.nat(33), fc.nat(25), (year, month, day, hour) => {
        const [y = '', m = '', d = '', h = ''] = [year, month, day, hour].map(String);
        const text = `${y.padStart(4, '0')}-${m.padStart(2, '0')}-${d.padStart(2, '0')}T${h.padStart(2, '0')}:00:00`;
        let expected: string | undefined;
        try {
          Temporal.PlainDateTime.from(`+00${text}`);
          expected = `${text}.000000Z`;
        } catch {
          expected = undefined;
        }
        assert.equal(parseTimestamp(`${text}Z`), expected);
      }),
      { numRuns: RUNS },
    );
  });

  test('sorts as text in the order of time', () => {
    fc.assert(
      fc.property(date, date, time, time, offset, offset, (d1, d2, t1, t2, o1, o2) => {
        const [a, b] = [parseTimestamp(`${d1}T${t1}${o1}`), parseTimestamp(`${d2}T${t2}${o2}`)];
        fc.pre(a !== undefined && b !== undefined);
        const order = Temporal.Instant.compare(`+00${d1}T${t1}${o1}`, `+00${d2}T${t2}${o2}`);
        assert.equal(a < b ? -1 : a > b ? 1 : 0, order);
      }),
      { numRuns: RUNS },
    );
  });

  test('of the clock is the one form of the same millisecond', () => {
    assert.equal(timestampOf(0), '1970-01-01T00:00:00.000000Z');
    assert.equal(timestampOf(1_795_167_000_123), '2026-11-20T09:30:00.123000Z');
    const now = timestampOf();
    assert.equal(parseTimestamp(now), now);
    assert.equal(timestampOf(Temporal.Instant.from(now).epochMilliseconds), now);
  });
});
