// The charges of a file with the decimal sign of its mapping, all of them in one currency.

import { chargeReader } from '@linecard/client/check/charge-text';
import type { DecimalSign } from '@linecard/client/check/contents';
import { currencyCode } from '../../settings/money.ts';
import type { ImportColumn } from '../columns.ts';
import { quoted, type RawValue } from '../values.ts';
import type { Mapping } from './written.ts';

const CURRENCY = /\p{Sc}|\b[A-Z]{3}\b/u;
/** What every charge may be. */
const SMALL_CHARGE = /^-?(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/;

function currencyFault(text: string, currency: string, own: string | undefined): { fault: string } {
  const why =
    own === undefined
      ? 'the charges before it are: the charges of a file are in one currency.'
      : 'the mapping says that all charges are.';
  return { fault: `${quoted(text)} is not in ${currency}, as ${why}` };
}

function chargeFault(text: string, decimal: DecimalSign, own: string | undefined): { fault: string } {
  const [found] = CURRENCY.exec(text) ?? [];
  if (found !== undefined && own !== undefined && !text.includes(own)) return currencyFault(text, own, own);
  const example = decimal === ',' ? '2,25 or 1.234,56' : '2.25 or 1,234.56';
  return { fault: `${quoted(text)} is not a charge: write ${example}, with at most six decimals.` };
}

/** Makes the texts of all columns of charges decimals. */
export function chargeConverter({ decimal = '.', currency: own }: Pick<Mapping, 'decimal' | 'currency'>) {
  const read = chargeReader(decimal, own, (code) => currencyCode.read(code) !== undefined);
  /** That of the first charge that has one, where the mapping says none. */
  let first = own;
  return (column: ImportColumn) =>
    (given: string): RawValue => {
      const charge = read(given);
      if (charge === undefined) return chargeFault(given, decimal, own);
      const { number, currency } = charge;
      if (number !== '' && !SMALL_CHARGE.test(number) && column.read(number) === undefined)
        return chargeFault(given, decimal, own);
      if (currency !== undefined) {
        first ??= currency;
        if (currency !== first) return currencyFault(given, first, own);
      }
      return number;
    };
}
