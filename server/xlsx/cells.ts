// The cells of a worksheet as XML, by type of value (ECMA-376, part 1, section 18.3.1.4). No cell is a
// formula. Text is stored in the cell, because a table of shared strings would have to be held until the end.

import type { Kind } from '@linecard/client/contract/list';

export const FORMATS = {
  plain: 0,
  heading: 1,
  text: 2,
  integer: 3,
  charge: 4,
  timestamp: 5,
  /** In workbooks for people alone. */
  sum: 6,
} as const;

/** Spreadsheets use doubles and show 15 digits, so they would change longer integers. */
const MAX_EXACT_DIGITS = 15;
const SECONDS_PER_DAY = 86_400;
/** 1900-03-01. Earlier days are ambiguous, because spreadsheets have a 29 February 1900. */
const FIRST_DAY = 61;
/** 10000-01-01. */
const END_OF_DAYS = 2_958_466;
/** Seconds from 1899-12-30, which is day 0 in spreadsheets, to 1970. */
const SECONDS_BEFORE_1970 = 25_569 * SECONDS_PER_DAY;

/**
 * Characters that XML cannot contain or would change, such as controls, carriage returns and lone surrogates.
 */
const INVALID = String.raw`[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}`;
const HAS_SPECIAL = new RegExp(`[&<>_]|${INVALID}`, 'u');
/** The last alternative is an underscore that would be read as the start of an escape `_xHHHH_`. */
const SPECIAL = new RegExp(`[&<>]|${INVALID}|_(?=x[0-9A-Fa-f]{4}(?:_|${INVALID}))`, 'gu');
const OUTER_SPACE = /^\s|\s$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(special: string): string {
  const code = special.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ENTITIES[special] ?? `_x${code}_`;
}

/** Escapes a text. Characters that XML cannot contain become `_xHHHH_`, which spreadsheets decode. */
export function xmlText(text: string): string {
  return HAS_SPECIAL.test(text) ? text.replace(SPECIAL, escaped) : text;
}

/**
 * The serial number of a timestamp, with a precision of a second: days since 1899-12-30.
 * @returns `undefined` for times that spreadsheets do not support: before 1900-03-01 and after 9999.
 */
export function serialOf(timestamp: string): number | undefined {
  const part = (from: number, to: number) => Number(timestamp.slice(from, to));
  const day = Date.parse(timestamp.slice(0, 'YYYY-MM-DD'.length)) / 1_000;
  // Computed, because a leap second is none to the platform.
  const seconds = day + part(11, 13) * 3_600 + part(14, 16) * 60 + part(17, 19);
  const serial = (seconds + SECONDS_BEFORE_1970) / SECONDS_PER_DAY;
  return serial < FIRST_DAY || serial >= END_OF_DAYS ? undefined : serial;
}

export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

/** @param at the name of the cell, such as `B2`. */
export function textCell(at: string, text: string, format: number = FORMATS.text): string {
  if (text === '') return '';
  const space = OUTER_SPACE.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${at}" s="${format}" t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}

export function numberCell(at: string, number: string | number, format: number): string {
  return `<c r="${at}" s="${format}"><v>${number}</v></c>`;
}

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
