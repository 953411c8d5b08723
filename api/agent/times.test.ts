// Times as people say them, in a zone whose clocks change: 2026-03-29 and 2026-10-25 in Berlin.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { localTime, readPastSpan, readPastTime, readSpan, readTime, timeZone } from './times.ts';

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
    '2026-12-01': ['2026-12-01', '2026-12-01'],
    '2026-12': ['2026-12-01', '2026-12-31'],
    '2026': ['2026-01-01', '2026-12-31'],
    '9999': ['9999-01-01', '9999-12-31'],
    '2026-03-29': ['2026-03-29', '2026-03-29'],
    '2024-02-29': ['2024-02-29', '2024-02-29'],
    '2024-02': ['2024-02-01', '2024-02-29'],
    today: ['2026-11-20', '2026-11-20'],
    Tomorrow: ['2026-11-21', '2026-11-21'],
    yesterday: ['2026-11-19', '2026-11-19'],
    'this week': ['2026-11-16', '2026-11-22'],
    'THIS-WEEK': ['2026-11-16', '2026-11-22'],
    'next week': ['2026-11-23', '2026-11-29'],
    last_month: ['2026-10-01', '2026-10-31'],
    'next  year': ['2027-01-01', '2027-12-31'],
  };
  for (const [text, [first, last]] of Object.entries(SPANS)) {
    test(`${text} is whole days: before it is before the first, after it is after the last`, () => {
      assert.equal(readTime(text, 'before', NOW), first);
      assert.equal(readTime(text, 'from', NOW), first);
      assert.equal(readTime(text, 'after', NOW), last);
      assert.equal(readTime(text, 'to', NOW), last);
      assert.deepEqual(readSpan(text, NOW), { from: first, to: last });
    });
  }

  test('a week ends on Sunday, and the day is that of the machine', () => {
    assert.deepEqual(readSpan('this week', SUNDAY), readSpan('this week', NOW));
    assert.deepEqual(readSpan('next week', SUNDAY), readSpan('next week', NOW));
    assert.equal(readTime('today', 'from', SUNDAY + 60_000), '2026-11-23');
  });

  const RANGES = {
    '2026-12-01..2026-12-15': { from: '2026-12-01', to: '2026-12-15' },
    'this week .. next week': { from: '2026-11-16', to: '2026-11-29' },
    '..today': { to: '2026-11-20' },
    '2026-12..': { from: '2026-12-01' },
    '..7d': { to: '2026-11-27T09:30:00.000000Z' },
    '2026-11-20..2026-11-20T12:00:00Z': { from: '2026-11-20', to: '2026-11-20T12:00:00.000000Z' },
  };
  for (const [text, bounds] of Object.entries(RANGES)) {
    test(`${text} reaches from the one to the other, or has an open end`, () => {
      assert.deepEqual(readSpan(text, NOW), bounds);
    });
  }

  test('an offset is a span from now on, or up to now', () => {
    const from = '2026-11-20T09:30:00.000000Z';
    assert.deepEqual(readSpan('7d', NOW), { from, to: '2026-11-27T09:30:00.000000Z' });
    assert.equal(readSpan('-7d', NOW)?.to, from);
    assert.deepEqual(readSpan('7d ago', NOW), readSpan('-7d', NOW));
  });

  test('of what has happened, an offset without a sign is how long ago', () => {
    for (const text of ['7d', ' 7 days', '7d ago', '-7d'])
      assert.equal(readPastTime(text, 'from', NOW), '2026-11-13T09:30:00.000000Z', text);
    for (const text of ['in 7d', '+7d'])
      assert.equal(readPastTime(text, 'from', NOW), '2026-11-27T09:30:00.000000Z', text);
    assert.equal(readPastTime('yesterday', 'from', NOW), '2026-11-19');
    assert.equal(readPastTime('soon', 'from', NOW), undefined);
  });

  test('of what has happened, a span without a sign is up to now', () => {
    const to = '2026-11-20T09:30:00.000000Z';
    const from = '2026-11-13T09:30:00.000000Z';
    for (const text of ['7d', '7 days', '7d ago', '-7d', 'last 7 days', 'past 7d', '1w'])
      assert.deepEqual(readPastSpan(text, NOW), { from, to }, text);
    assert.deepEqual(readPastSpan('7d..', NOW), { from });
    assert.deepEqual(readPastSpan('..7d', NOW), { to: from });
    assert.deepEqual(readPastSpan('14d..7 d', NOW), { from: '2026-11-06T09:30:00.000000Z', to: from });
    assert.deepEqual(readPastSpan('2026-11', NOW), readSpan('2026-11', NOW));
    assert.deepEqual(readPastSpan('in 7d', NOW), readSpan('7d', NOW));
    assert.equal(readPastSpan('soon', NOW), undefined);
  });

  test('the next and the last days are said with that word', () => {
    assert.deepEqual(readSpan('next 7 days', NOW), readSpan('7d', NOW));
    assert.deepEqual(readSpan('last 7 days', NOW), readSpan('7d ago', NOW));
    assert.equal(readTime('last 2 weeks', 'after', NOW), '2026-11-06T09:30:00.000000Z');
    assert.equal(readSpan('last 7 days ago', NOW), undefined);
  });

  const NONE = [
    '',
    'soon',
    'week',
    '7',
    '7m',
    '-7d ago',
    'in 7d ago',
    '2026-02-29',
    '2026-13',
    '2026-1-1',
    '0000-01-01',
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
      '..',
      'soon..',
      '2026-12-01..2026-11-30T12:00:00Z',
      '2025..2026..2027',
    ]) {
      assert.equal(readSpan(text, NOW), undefined, text);
    }
  });

  test('what stands for a day is that day in every zone', () => {
    for (const one of ['America/Los_Angeles', 'Pacific/Auckland', 'UTC', 'Europe/Berlin']) {
      process.env['TZ'] = one;
      assert.equal(localTime('2026-12-01T00:00:00.000000Z'), '2026-12-01', one);
    }
    process.env['TZ'] = 'Europe/Berlin';
    assert.equal(localTime('2026-12-01T00:00:00.000001Z'), '2026-12-01 01:00');
  });

  test('a timestamp is shown by the clock of the machine, to the minute', () => {
    assert.equal(localTime('2026-11-30T23:59:59.999999Z'), '2026-12-01 00:59');
    assert.equal(localTime('2026-07-01T12:00:00.000000Z'), '2026-07-01 14:00');
    assert.equal(localTime('2016-12-31T23:59:60.000000Z'), '2017-01-01 00:59');
    assert.equal(localTime('0099-06-01T12:00:00.000000Z').slice(0, 10), '0099-06-01');
  });

  test('the zone of the machine has its name, or its offset where it has none', () => {
    for (const [zone, name] of [
      ['Europe/Berlin', 'Europe/Berlin'],
      [':/etc/localtime', 'GMT+0000'],
      ['', 'GMT+0000'],
      ['UTC+3', 'GMT-0300'],
    ] as const) {
      process.env['TZ'] = zone;
      assert.equal(timeZone(), name, zone);
    }
    process.env['TZ'] = 'Europe/Berlin';
  });
});
