// The numbers of an account, as far as they are compared: in columns, so that hundreds of thousands take
// little memory.

import { parseCharge } from '../contract/charge.ts';
import { BILLING_MONTHS } from '../contract/facets.ts';
import { Column } from './column.ts';
import { NumberKeys } from './number-keys.ts';
import { NumberTexts } from './number-texts.ts';

/** An item of the account; without charges where the token sees none. */
export interface AccountNumber {
  readonly id: number;
  readonly did: string;
  readonly frequency?: string;
  readonly monthly?: number;
}

export class AccountNumbers {
  readonly names = new NumberKeys();
  readonly keys = new Column();
  readonly #dids = new NumberTexts();
  readonly #ids = new Column();
  /** Of charges, which are few. */
  readonly #millionths = new Map<number, number>();
  /** NaN where there is none. */
  readonly #charges = new Column();
  /** By their positions in `#names`, as there are few. */
  readonly #frequencies = new Column();
  readonly #frequencyNames: string[] = [];
  readonly #frequencyKeys = new Map<string, number>();
  readonly #months: (number | undefined)[] = [];

  constructor(items: Iterable<AccountNumber> = []) {
    for (const item of items) this.push(item);
  }

  get length(): number {
    return this.keys.length;
  }

  push({ id, did, frequency = '', monthly = Number.NaN }: AccountNumber): void {
    this.keys.push(this.names.of(did));
    this.#dids.push(did);
    this.#ids.push(id);
    this.#charges.push(monthly);
    this.#frequencies.push(this.#frequencyKeys.get(frequency) ?? this.#addFrequency(frequency));
  }

  #addFrequency(frequency: string): number {
    const key = this.#frequencyNames.push(frequency) - 1;
    this.#frequencyKeys.set(frequency, key);
    this.#months.push(BILLING_MONTHS.get(frequency.toLowerCase()));
    return key;
  }

  at(i: number): AccountNumber {
    const [monthly, frequency] = [this.#charges.at(i), this.#frequencyNames[this.#frequencies.at(i)]];
    const charged = Number.isNaN(monthly) ? {} : { monthly, frequency: frequency ?? '' };
    return { id: this.#ids.at(i), did: this.#dids.at(i), ...charged };
  }

  /** What a month costs. */
  millionths(i: number): number | undefined {
    const monthly = this.#charges.at(i);
    const known = this.#millionths.get(monthly);
    if (known !== undefined) return known;
    const charge = parseCharge(String(monthly));
    if (charge !== undefined) this.#millionths.set(monthly, charge);
    return charge;
  }

  /** For how many months a payment is; `undefined` where they are not known. */
  months(i: number): number | undefined {
    return this.#months[this.#frequencies.at(i)];
  }
}
