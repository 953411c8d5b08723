// Forms of dates: what an independent writer of each form writes is read as the same time, and nothing
// else is.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isDateForm } from './forms.ts';
import { LocalTimes } from './times.ts';

const read = (form: string, text: string, time_zone = 'UTC') =>
  new LocalTimes([form], { time_zone }).read(text);
const DAY = 86_400_000;
const instant = fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2068, 11) });
const isoOf = (ms: number) => new Date(ms).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
const minutely = (ms: number) => ms - (ms % 60_000);
const pad = (n: number) => String(n).padStart(2, '0');

/** How Intl writes a part of a time, in UTC. */
const written = (ms: number, language: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(ms);

const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt-BR'];

describe('a form', () => {
  test('has months by their names, in five languages', () => {
    fc.assert(
      fc.property(
        instant,
        fc.constantFrom(...LANGUAGES),
        fc.constantFrom('long', 'short'),
        (ms, language, month) => {
          const day = ms - (ms % DAY);
          const at = new Date(day);
          const name = written(day, language, { month });
          const weekday = written(day, language, { weekday: 'long' });
          const year = at.getUTCFullYear();
          assert.equal(read('D MMM YYYY', `${at.getUTCDate()} ${name} ${year}`), isoOf(day));
          assert.equal(
            read('ddd, MMMM DD, YYYY', `${weekday}, ${name.toUpperCase()} ${at.getUTCDate()}, ${year}`),
            isoOf(day),
          );
          assert.equal(read('DD-MMM-YYYY', `${pad(at.getUTCDate())}-${name}-${year}`), isoOf(day));
        },
      ),
      { numRuns: 500 },
    );
    assert.equal(read('D MMM YYYY', '1 Foo 2026'), undefined);
  });

  test('has clocks of twelve hours', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom('AM', 'am', 'a.m.', 'A. M.'), (ms, style) => {
        const at = new Date(minutely(ms));
        const hour = at.getUTCHours();
        const half = hour < 12 ? style : style.replace(/a/i, (letter) => (letter === 'a' ? 'p' : 'P'));
        const clock = `${hour % 12 === 0 ? 12 : hour % 12}:${pad(at.getUTCMinutes())}`;
        const day = `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()}`;
        assert.equal(read('M/D/YYYY h:mm a', `${day} ${clock} ${half}`), isoOf(minutely(ms)));
        assert.equal(read('M/D/YYYY hh:mma', `${day} ${clock}${half}`), isoOf(minutely(ms)));
      }),
    );
    for (const text of ['1/2/2026 13:05 PM', '1/2/2026 0:05 AM', '1/2/2026 3:05'])
      assert.notEqual(typeof read('M/D/YYYY h:mm a', text), 'string', text);
  });

  test('has offsets, and whole forms by their names', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -14 * 4, max: 14 * 4 }), (ms, quarters) => {
        const offset = 15 * quarters;
        const at = new Date(ms - (ms % 1_000) + offset * 60_000);
        const size = Math.abs(offset);
        const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}${pad(size % 60)}`;
        const expected = isoOf(ms - (ms % 1_000));
        const local = at.toISOString().slice(0, 19);
        assert.equal(read('YYYY-MM-DDTHH:mm:ssZ', local + zone, 'Europe/Berlin'), expected);
        assert.equal(read('iso', `${local.replace('T', ' ')}${zone.slice(0, 3)}:${zone.slice(3)}`), expected);
        const mail = at.toUTCString().replace('GMT', zone);
        assert.equal(read('rfc2822', mail), expected);
        assert.equal(read('unix', String(Math.floor(ms / 1_000)).padStart(9, '0')), expected);
      }),
    );
    assert.equal(read('rfc2822', 'Thu, 30 Jul 2026 20:00:00 +0000'), '2026-07-30T20:00:00.000000Z');
    assert.equal(read('rfc2822', '2 Aug 2026 08:05 EST'), '2026-08-02T13:05:00.000000Z');
    assert.equal(read('unix_ms', '1785441600123'), '2026-07-30T20:00:00.123000Z');
    assert.equal(read('iso', '2026-07-30', 'Europe/Berlin'), '2026-07-29T22:00:00.000000Z');
    assert.equal(read('iso', '2026-07-30T20:00:00.1234567Z'), undefined);
    assert.equal(read('iso', '20260730T200000.5Z'), '2026-07-30T20:00:00.500000Z');
    for (const text of ['0', '1785441600123', '20260730']) assert.equal(read('unix', text), undefined, text);
    assert.equal(read('unix_ms', '1785441600'), undefined);
  });

  test('has the days of spreadsheets', () => {
    fc.assert(
      fc.property(instant, (ms) => {
        const days = (ms - Date.UTC(1899, 11, 30)) / DAY;
        assert.equal(read('excel', String(days)), isoOf(ms));
        assert.equal(read('excel', String(days).replace('.', ',')), isoOf(ms));
        assert.equal(read('excel_1904', String((ms - Date.UTC(1904, 0, 1)) / DAY)), isoOf(ms));
      }),
    );
    assert.equal(read('excel', '1'), '1900-01-01T00:00:00.000000Z');
    assert.equal(read('excel', '59'), '1900-02-28T00:00:00.000000Z');
    assert.equal(read('excel', '61'), '1900-03-01T00:00:00.000000Z');
    for (const text of ['0', '60', '-1', '460000', '1e5']) assert.equal(read('excel', text), undefined, text);
  });

  test('takes 24:00 for the midnight of the next day, and no other time of hour 24', () => {
    assert.equal(read('DD.MM.YYYY HH:mm', '31.12.2026 24:00'), '2027-01-01T00:00:00.000000Z');
    assert.equal(read('DD.MM.YYYY H:mm', '24.10.2026 24:00', 'Europe/Berlin'), '2026-10-24T22:00:00.000000Z');
    assert.match(JSON.stringify(read('DD.MM.YYYY HH:mm', '31.12.2026 24:01')), /does not exist/);
    assert.match(JSON.stringify(read('DD.MM.YYYY HH:mm', '31.02.2026 24:00')), /does not exist/);
  });

  test('may have words, and not what reads one text in two ways', () => {
    for (const form of [
      'D de MMMM de YYYY a las HH:mm',
      'DD.MM.YYYY HH:mm Uhr',
      'DD/MM/YYYY HHhmm',
      'DDMMMYYYY',
      'YYYYMMDDTHHmmss',
      'h:mm a D/M/YY',
    ])
      assert.ok(isDateForm(form), form);
    assert.equal(
      read('D de MMMM de YYYY a las HH:mm', '1 de marzo de 2026 a las 14:30'),
      '2026-03-01T14:30:00.000000Z',
    );
    assert.equal(read('DD/MM/YYYY HHhmm', '01/03/2026 14h30'), '2026-03-01T14:30:00.000000Z');
    for (const form of [
      'YYYYMD',
      'DD.MM.YYYY h:mm',
      'DD.MM.YYYY HH:mm Z Z',
      'D.DD.MM.YYYY',
      'M MMM D YYYY',
      'DD.MM.YYYY Z',
      'rfc822',
    ])
      assert.ok(!isDateForm(form), form);
  });
});
