// The tool of an agent that checks numbers, such as those of an invoice or of a telephone system, against the
// numbers of the account.

import { faultText } from '../check/check-faults.ts';
import { type Check, GROUP_NAMES } from '../check/compare.ts';
import { NumberReader, type NumbersRead } from '../check/file-numbers.ts';
import { Uncheckable } from '../check/file-table.ts';
import { AMOUNTS_PER } from '../check/written-numbers.ts';
import { currencyOf } from '../client/any-list.ts';
import { checkNumbers } from '../client/check.ts';
import type { Client } from '../client/client.ts';
import { parseCharge } from '../contract/charge.ts';
import { count } from '../contract/wording.ts';
import { type Given, MAX_ANSWER_CHARACTERS, Refused, type Tool, takes, weightOf } from './input.ts';

const MAX_NUMBERS = 1_000;
/** A server answers every agent in one thread: more are for the command, which has a process of its own. */
const MAX_ON_ACCOUNT = 10_000;
const COMMAND = 'Use the command `linecard virtual-numbers check FILE`.';
/** Everything but what agrees, which is counted. */
const DIFFERENCES = GROUP_NAMES.filter((name) => name !== 'both');
const NO_CHARGES = 'This token sees no charges, so amounts cannot be compared: leave amounts out.';
const CUT = 'Too long: these are the first of each list. `counts` has how many there are.';

/** @throws {Refused} */
function amountsOf(amounts: unknown, numbers: number): (number | undefined)[] {
  const all = [amounts].flat().map((one) => parseCharge(String(one)));
  if (all.length === numbers && !all.includes(undefined)) return all;
  throw new Refused('amounts must be decimals such as 2.25, one for each of the numbers, in their order.');
}

/** @throws {Refused} */
function numbersOf({ numbers, amounts }: Given): NumbersRead {
  const all = [numbers].flat();
  if (all.length === 0 || all.length > MAX_NUMBERS || !all.every((one) => typeof one === 'string'))
    throw new Refused(`numbers must be 1 to ${count(MAX_NUMBERS)} telephone numbers, as texts. ${COMMAND}`);
  const charges = amounts === undefined ? undefined : amountsOf(amounts, all.length);
  const reader = new NumberReader();
  for (const [i, one] of all.entries()) reader.take(i + 1, one.trim(), charges?.[i]);
  let inRanges = 0;
  for (const { range: [first, last] = ['1', '1'] } of reader.numbers.values())
    inRanges += Number(last) - Number(first) + 1;
  if (inRanges > MAX_NUMBERS)
    throw new Refused(`The ranges have more than ${count(MAX_NUMBERS)} numbers together. ${COMMAND}`);
  return { numbers: reader.numbers, faults: reader.faults, hasAmounts: charges !== undefined };
}

function firstOf(rows: Iterable<unknown>, most: number): unknown[] {
  const first: unknown[] = [];
  for (const row of rows) {
    if (first.length === most) break;
    first.push(row);
  }
  return first;
}

/** Faults are sentences. */
const saidOf = (check: Check, name: (typeof DIFFERENCES)[number] | 'faults'): Iterable<unknown> =>
  name === 'faults' ? check.faults.map((one) => ({ ...one, fault: faultText(one.fault) })) : check[name];

/** Without what agrees, and as much of the rest as an answer may have. */
function shortened(check: Check, about: object): object {
  const lists = [...DIFFERENCES, 'faults'] as const;
  for (let most = MAX_NUMBERS * 10; ; most = Math.floor(most / 2)) {
    const isCut = lists.some((name) => check[name].length > most);
    const answer = {
      ...about,
      counts: check.counts,
      ...Object.fromEntries(lists.map((name) => [name, firstOf(saidOf(check, name), most)])),
      ...(isCut && { note: CUT }),
    };
    if (most === 0 || weightOf(answer) <= MAX_ANSWER_CHARACTERS) return answer;
  }
}

/** @throws {Refused} */
async function mustBeFew(client: Client, signal: AbortSignal): Promise<void> {
  const { total } = await client.virtualNumbers.list({ page_size: 1 }, { signal });
  if (total > MAX_ON_ACCOUNT)
    throw new Refused(
      `The account has ${count(total)} numbers, and this tool compares up to ${count(MAX_ON_ACCOUNT)}. ${COMMAND}`,
    );
}

export const checkTool: Tool = {
  name: 'virtual_numbers_check',
  title: 'Check numbers',
  description:
    'Numbers of an invoice or a PBX against the account: only on one side, twice, ambiguous, another amount.',
  input: takes(
    {
      numbers: { type: 'array', items: { type: 'string' }, description: `At most ${MAX_NUMBERS}` },
      amounts: { type: 'array', items: { type: 'number' }, description: 'In the same order' },
      amount_per: { type: 'string', description: AMOUNTS_PER.join(' or ') },
    },
    ['numbers'],
  ),
  async read(client, given, signal) {
    const read = numbersOf(given);
    const per = AMOUNTS_PER.find((one) => one === given['amount_per']);
    if (per === undefined && given['amount_per'] !== undefined)
      throw new Refused(`amount_per must be ${AMOUNTS_PER.join(' or ')}.`);
    await mustBeFew(client, signal);
    const [check, currency] = await Promise.all([
      checkNumbers(client, read, {}, { per, signal }).catch((error: unknown) => {
        throw error instanceof Uncheckable ? new Refused(NO_CHARGES) : error;
      }),
      currencyOf(client, signal),
    ]);
    return shortened(check, { as_of: check.as_of, currency });
  },
};
