// The cells of a worksheet as XML, one kind of value after another (ECMA-376, part 1, section 18.3.1.4).
// Knows nothing of lists and files.
//
// No cell is a formula. Text stands in the cell itself: a table of shared strings would have to be held until
// the end.

import type { Kind } from '@linecard/client/contract/list';

/** What a value looks like: an index into the formats of the stylesheet. */
export const FORMATS = { plain: 0, heading: 1, text: 2, integer: 3, charge: 4, timestamp: 5 } as const;

/** Beyond them a spreadsheet, which counts in doubles and shows 15 digits, would show another integer. */
const MAX_EXACT_DIGITS = 15;
const SECONDS_A_DAY = 86_400;
/** 1900-03-01: spreadsheets have a 29 February 1900, so that what is before it would be another day. */
const FIRST_DAY = 61;
/** 10000-01-01. */
const END_OF_DAYS = 2_958_466;
/** The days from 0000-03-01 to 1899-12-30, which is day 0 of a spreadsheet. */
const DAY_ZERO = 693_899;

/**
 * What XML cannot hold, or would change: controls, a carriage return, lone surrogates, and two code points.
 */
const UNSPEAKABLE = String.raw`[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}`;
const HAS_SPECIAL = new RegExp(`[&<>_]|${UNSPEAKABLE}`, 'u');
/**
 * The last is an underscore that would be read as the beginning of `_xHHHH_`, once what follows is escaped.
 */
const SPECIAL = new RegExp(`[&<>]|${UNSPEAKABLE}|_(?=x[0-9A-Fa-f]{4}(?:_|${UNSPEAKABLE}))`, 'gu');
const OUTER_SPACE = /^\s|\s$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(special: string): string {
  const code = special.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ENTITIES[special] ?? `_x${code}_`;
}

/** A text as XML holds it; what XML cannot hold becomes `_xHHHH_`, which spreadsheets read back. */
export function xmlText(text: string): string {
  return HAS_SPECIAL.test(text) ? text.replace(SPECIAL, escaped) : text;
}

/** The days from 0000-03-01 to a day, which is how leap days come last in their year. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = (month + 9) % 12;
  const years = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((shifted * 153 + 2) / 5) + day - 1;
}

/**
 * The serial number of a timestamp, to the second: days since 1899-12-30 and a fraction.
 * @returns `undefined` before 1900-03-01 and after 9999, where spreadsheets have no such day.
 */
export function serialOf(timestamp: string): number | undefined {
  const part = (from: number, to: number) => Number(timestamp.slice(from, to));
  const days = daysTo(part(0, 4), part(5, 7), part(8, 10)) - DAY_ZERO;
  const seconds = part(11, 13) * 3_600 + part(14, 16) * 60 + part(17, 19);
  const serial = (days * SECONDS_A_DAY + seconds) / SECONDS_A_DAY;
  return serial < FIRST_DAY || serial >= END_OF_DAYS ? undefined : serial;
}

/** The name of a column, from 0: A to Z, AA and on. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

/** @param at the cell's name, such as `B2`. */
export function textCell(at: string, text: string, format: number = FORMATS.text): string {
  if (text === '') return '';
  const space = OUTER_SPACE.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${at}" s="${format}" t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}

function numberCell(at: string, number: string | number, format: number): string {
  return `<c r="${at}" s="${format}"><v>${number}</v></c>`;
}

/** How a value of each kind becomes a cell, from its text. */
export const CELLS: Readonly<Record<Kind, (at: string, value: string) => string>> = {
  text: (at, value) => textCell(at, value),
  integer: (at, value) =>
    value.length > MAX_EXACT_DIGITS ? textCell(at, value) : numberCell(at, value, FORMATS.integer),
  charge: (at, value) => numberCell(at, value, FORMATS.charge),
  timestamp(at, value) {
    const serial = serialOf(value);
    return serial === undefined ? textCell(at, value) : numberCell(at, serial, FORMATS.timestamp);
  },
  flag: (at, value) => `<c r="${at}" t="b"><v>${value === 'true' ? 1 : 0}</v></c>`,
};
