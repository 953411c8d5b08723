// Which tokens a list has: all, those of some accounts, those that end soon.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import { type Statement, separate } from '../sql.ts';
import type { Store } from '../store.ts';

/** Which tokens: all of a kind, those of some accounts, those that end before a time (a timestamp). */
export interface TokenListChoice {
  readonly accounts?: readonly string[] | undefined;
  readonly endsBefore?: string | undefined;
}

/** The condition of a choice. One that has expired or was revoked does not end any more. */
export function chosenTokens(
  { dialect }: Pick<Store, 'dialect'>,
  values: Values,
  { accounts, endsBefore }: TokenListChoice,
): string {
  const now = timestampOf();
  const conditions = [
    ...(accounts === undefined ? [] : [dialect.among('account_id', values.bind(accounts), 'text')]),
    ...(endsBefore === undefined
      ? []
      : [
          `revoked_at is null and expires_at > ${values.bind(now)} and expires_at < ${values.bind(endsBefore)}`,
        ]),
  ];
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

/** How long before its end a token counts as one that ends soon. */
const SOON_MILLISECONDS = 14 * 86_400_000;

/** How many customers' tokens end soon; sign-ins, which end within hours, are none. */
export async function countEnding(store: Pick<Store, 'dialect' | 'read'>): Promise<number> {
  const values = new Values();
  const endsBefore = timestampOf(Date.now() + SOON_MILLISECONDS);
  const text = `select count(*) from tokens${chosenTokens(store, values, { endsBefore })} and kind = 'token'`;
  const [[row]] = await store.read(separate({ text, values: values.list }));
  return Number(row?.[0] ?? 0);
}

/** The statement that selects the tokens of a choice, by what `first` names and then by age. */
export function listOf(
  store: Pick<Store, 'dialect'>,
  select: string,
  first: string,
  choice: TokenListChoice,
): Statement {
  const values = new Values();
  const where = chosenTokens(store, values, choice);
  const text = `${select}${where} order by ${first}created_at, id`;
  return separate({ text, values: values.list });
}
