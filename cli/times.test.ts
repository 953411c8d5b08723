// Times as people say them, in a zone whose clocks change: 2026-03-29 and 2026-10-25 in Berlin.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { localTime, readSpan, readTime } from './times.ts';

/** A Friday, 10:30 in Berlin. */
const NOW = Date.parse('2026-11-20T09:30:00Z');
const SUNDAY = Date.parse('2026-11-22T22:59:00Z');

describe('times in Berlin', () => {
  const zone = process.env['TZ'];
  before(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  const POINTS = {
    '2026-12-01T09:30:00.123456+01:00': '2026-12-01T08:30:00.123456Z',
    '2026-12-01T09:30:00Z': '2026-12-01T09:30:00.000000Z',
    now: '2026-11-20T09:30:00.000000Z',
    '7d': '2026-11-27T09:30:00.000000Z',
    'in 7 days': '2026-11-27T09:30:00.000000Z',
    '+2w': '2026-12-04T09:30:00.000000Z',
    '-36h': '2026-11-18T21:30:00.000000Z',
    '30d ago': '2026-10-21T08:30:00.000000Z',
    ' 12H ': '2026-11-20T21:30:00.000000Z',
  };
  for (const [text, timestamp] of Object.entries(POINTS)) {
    test(`${text} is a point in time`, () => {
      assert.equal(readTime(text, 'after', NOW), timestamp);
      assert.equal(readTime(text, 'before', NOW), timestamp);
    });
  }

  const SPANS = {
    '2026-12-01': ['2026-11-30T23:00', '2026-12-01T23:00'],
    '2026-12': ['2026-11-30T23:00', '2026-12-31T23:00'],
    '2026': ['2025-12-31T23:00', '2026-12-31T23:00'],
    '2026-03-29': ['2026-03-28T23:00', '2026-03-29T22:00'],
    '2026-10-25': ['2026-10-24T22:00', '2026-10-25T23:00'],
    '2024-02-29': ['2024-02-28T23:00', '2024-02-29T23:00'],
    today: ['2026-11-19T23:00', '2026-11-20T23:00'],
    Tomorrow: ['2026-11-20T23:00', '2026-11-21T23:00'],
    yesterday: ['2026-11-18T23:00', '2026-11-19T23:00'],
    'this week': ['2026-11-15T23:00', '2026-11-22T23:00'],
    'THIS-WEEK': ['2026-11-15T23:00', '2026-11-22T23:00'],
    'next week': ['2026-11-22T23:00', '2026-11-29T23:00'],
    last_month: ['2026-09-30T22:00', '2026-10-31T23:00'],
    'next  year': ['2026-12-31T23:00', '2027-12-31T23:00'],
  };
  for (const [text, [from, to]] of Object.entries(SPANS)) {
    test(`${text} is a span: before it is before it begins, after it is after it ends`, () => {
      assert.equal(readTime(text, 'before', NOW), `${from}:00.000000Z`);
      const last = readTime(text, 'after', NOW) ?? '';
      assert.equal(Date.parse(last) + 1, Date.parse(`${to}:00Z`));
      assert.match(last, /:59\.999999Z$/);
      const bounds = readSpan(text, NOW);
      assert.equal(Date.parse(bounds?.after ?? '') + 1, Date.parse(`${from}:00Z`));
      assert.match(bounds?.after ?? '', /:59\.999999Z$/);
      assert.equal(bounds?.before, `${to}:00.000000Z`);
    });
  }

  test('a week ends on Sunday', () => {
    assert.deepEqual(readSpan('this week', SUNDAY), readSpan('this week', NOW));
    assert.deepEqual(readSpan('next week', SUNDAY), readSpan('next week', NOW));
  });

  test('a range reaches from the begin of the one to the end of the other', () => {
    assert.deepEqual(readSpan('2026-12-01..2026-12-15', NOW), {
      after: '2026-11-30T22:59:59.999999Z',
      before: '2026-12-15T23:00:00.000000Z',
    });
    assert.deepEqual(readSpan('this week .. next week', NOW)?.before, readSpan('next week', NOW)?.before);
  });

  test('an offset is a span from now on, or up to now', () => {
    const from = '2026-11-20T09:29:59.999999Z';
    assert.deepEqual(readSpan('7d', NOW), { after: from, before: '2026-11-27T09:30:00.000000Z' });
    assert.equal(readSpan('-7d', NOW)?.before, '2026-11-20T09:30:00.000000Z');
    assert.deepEqual(readSpan('7d ago', NOW), readSpan('-7d', NOW));
  });

  const NONE = [
    '',
    'soon',
    'week',
    '7',
    '7m',
    '-7d ago',
    '2026-02-29',
    '2026-13',
    '2026-1-1',
    '0000-01-01',
    '9999',
    '2026-12-01T09:30:00',
    '01.12.2026',
    'this day',
  ];
  for (const text of NONE) {
    test(`"${text}" is no time`, () => {
      assert.equal(readTime(text, 'before', NOW), undefined);
      assert.equal(readSpan(text, NOW), undefined);
    });
  }

  test('no span: a point in time, a range that runs backwards, has no end or several', () => {
    for (const text of [
      'now',
      '0d',
      '2026-12-01T09:30:00Z',
      '2026-12-15..2026-12-01',
      '2026-12..',
      '2025..2026..2027',
    ]) {
      assert.equal(readSpan(text, NOW), undefined, text);
    }
  });

  test('a timestamp is shown by the clock of the machine, to the minute', () => {
    assert.equal(localTime('2026-11-30T23:59:59.999999Z'), '2026-12-01 00:59');
    assert.equal(localTime('2026-07-01T12:00:00.000000Z'), '2026-07-01 14:00');
    assert.equal(localTime('2016-12-31T23:59:60.000000Z'), '2017-01-01 00:59');
    assert.equal(localTime('0099-06-01T12:00:00.000000Z').slice(0, 10), '0099-06-01');
  });
});
