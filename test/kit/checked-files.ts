// Files made from an account by loss, insertion, respelling and change of price, and a naive comparison of
// what was written with the account: every number with every item.

import fc from 'fast-check';
import type { AccountNumber } from '../../api/check/account-numbers.ts';

export interface WrittenLine {
  readonly digits: string;
  readonly text: string;
  /** In hundredths. */
  readonly cents: number;
}

export interface MadeFile {
  readonly items: readonly AccountNumber[];
  readonly lines: readonly WrittenLine[];
  readonly delimiter: string;
  readonly decimal: '.' | ',';
  readonly perMonth: boolean;
}

const MONTHS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
const SPELLINGS: readonly ((digits: string) => string)[] = [
  (digits) => `+${digits}`,
  (digits) => `00${digits}`,
  (digits) => `+${digits.slice(0, 2)} (0)${digits.slice(2, 5)} ${digits.slice(5)}`,
  (digits) => `tel:+${digits.slice(0, 2)} ${digits.slice(2)}`,
  (digits) => `+${digits.slice(0, 4)}.${digits.slice(4)}`.replace(/^\+(\d{4})\./, '+$1 '),
  (digits) => digits,
];

const numbers = fc.integer({ min: 0, max: 60 }).map((n) => `4420794600${String(n).padStart(2, '0')}`);
const items = fc
  .array(
    fc.record({
      did: numbers.map((digits) => `+${digits}`),
      frequency: fc.constantFrom(...Object.keys(MONTHS)),
      cents: fc.integer({ min: 0, max: 400_000 }),
    }),
    { maxLength: 40 },
  )
  .map((all) =>
    all.map(({ did, frequency, cents }, i) => ({ id: i + 1, did, frequency, monthly: cents / 100 })),
  );

const centsOf = ({ monthly = 0, frequency = '' }: AccountNumber, perMonth: boolean) =>
  Math.round(monthly * 100) * (perMonth ? 1 : (MONTHS[frequency] ?? 0));

/** What becomes of an item on its way into the file. */
const change = fc.record({
  lost: fc.boolean(),
  repeated: fc.boolean(),
  dearer: fc.constantFrom(0, 0, 1, 250),
  spelling: fc.nat(SPELLINGS.length - 1),
});
const inserted = fc.array(fc.tuple(numbers, fc.nat(100_000), fc.nat(SPELLINGS.length - 1)), { maxLength: 6 });

export const madeFiles: fc.Arbitrary<MadeFile> = fc
  .tuple(
    items,
    fc.array(change, { minLength: 1, maxLength: 40 }),
    inserted,
    fc.constantFrom(';', '\t', '|', ','),
    fc.constantFrom<'.' | ','>('.', ','),
    fc.boolean(),
  )
  .map(([account, changes, more, delimiter, decimal, perMonth]) => {
    const line = (digits: string, cents: number, spelling: number) => ({
      digits,
      text: (SPELLINGS[spelling] as (digits: string) => string)(digits),
      cents,
    });
    const lines = account.flatMap((item, i) => {
      const { lost, repeated, dearer, spelling } = changes[i % changes.length] as (typeof changes)[number];
      const one = line(item.did.slice(1), centsOf(item, perMonth) + dearer, spelling);
      return lost ? [] : repeated ? [one, one] : [one];
    });
    return {
      items: account,
      lines: [...lines, ...more.map((one) => line(...one))],
      delimiter,
      decimal,
      perMonth,
    };
  });

export function fileText({ lines, delimiter, decimal }: MadeFile): string {
  const rows = lines.map(({ text, cents }, i) => {
    const amount = (cents / 100).toFixed(2).replace('.', decimal);
    const cell = amount.includes(delimiter) ? `"${amount}"` : amount;
    return [`Zeile ${i}`, text, cell].join(delimiter);
  });
  return `${[['Text', 'Rufnummer', 'Preis'].join(delimiter), ...rows].join('\n')}\n`;
}

/** The groups by the lines of the file and the ids of the account, from 2 as the header is line 1. */
export function naiveGroups({ items: account, lines, perMonth }: MadeFile) {
  const written = lines.map((line, i) => ({ ...line, line: i + 2 }));
  const met = new Map<number, number>();
  const of = (digits: string) => account.filter(({ did }) => did === `+${digits}`);
  const free = (digits: string) => of(digits).filter(({ id }) => ![...met.values()].includes(id));
  // Where several items have a number, a line meets one that costs what it says, else the next one.
  for (const { line, digits, cents } of written) {
    if (of(digits).length < 2) continue;
    if (written.filter((one) => one.digits === digits).length < 2) continue;
    const exact = free(digits).find((item) => centsOf(item, perMonth) === cents);
    if (exact !== undefined) met.set(line, exact.id);
  }
  for (const { line, digits } of written) {
    const [next] = met.has(line) ? [] : free(digits);
    if (next !== undefined) met.set(line, next.id);
  }
  const itemOf = (line: number) => account.find(({ id }) => id === met.get(line));
  const isFirst = ({ line, digits }: { line: number; digits: string }) =>
    written.find((one) => one.digits === digits)?.line === line;
  const unmet = written.filter(({ line }) => !met.has(line));
  return {
    both: [...met].map(([line, id]) => `${line} ${id}`).toSorted(),
    only_in_file: unmet.filter((one) => isFirst(one) && of(one.digits).length === 0).map(({ line }) => line),
    only_on_account: account.map(({ id }) => id).filter((id) => ![...met.values()].includes(id)),
    twice: unmet.filter((one) => !isFirst(one) || of(one.digits).length > 0).map(({ line }) => line),
    amounts: written
      .filter(({ line, cents }) => {
        const item = itemOf(line);
        return item !== undefined && centsOf(item, perMonth) !== cents;
      })
      .map(({ line }) => line),
  };
}
