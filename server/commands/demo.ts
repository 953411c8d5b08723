// `serve --demo`: sample accounts with two own fields, a token for each, and URLs to try.

import { lists } from '@linecard/client/contract';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type DemoAccount, fillDemo, findDemo } from '../demo/demo.ts';
import { addFieldOperation } from '../operations/fields.ts';
import { readShape } from '../operations/shape.ts';
import { createToken } from '../store/access/tokens.ts';
import { declarationsOf } from '../store/lists/own-fields.ts';
import type { Store } from '../store/store.ts';
import { perform } from './operation.ts';

const TOKEN_NAME = 'demo';
const TOKEN_DAYS = 7;
const MILLISECONDS_PER_DAY = 86_400_000;
const UNUSED_DAYS = 90;
const LAST_CALL = 'x_last_call';

/** What is declared of virtual numbers, as docs/how-to/add-a-field.md does it. */
const OWN_FIELDS = [
  {
    name: 'x_site',
    kind: 'text',
    titles: { en: 'Site', de: 'Standort', es: 'Sede', fr: 'Site', 'pt-BR': 'Unidade' },
    search: true,
  },
  {
    name: LAST_CALL,
    kind: 'timestamp',
    titles: {
      ...{ en: 'Last call', de: 'Letzter Anruf', es: 'Última llamada' },
      ...{ fr: 'Dernier appel', 'pt-BR': 'Última chamada' },
    },
  },
] as const;

/** Declares the own fields that are not there yet. */
async function declareFields(store: Store): Promise<void> {
  const present = new Set((await declarationsOf(store, 'virtual_numbers')).map(({ name }) => name));
  for (const field of OWN_FIELDS.filter(({ name }) => !present.has(name))) {
    const given = { list: 'virtual_numbers', shown: true, ...field };
    await perform(addFieldOperation, store, readShape(addFieldOperation.takes, given, 'a field'), {});
  }
}

/** Fills an empty database. Returns its sample accounts; `undefined` if it contains real accounts. */
export async function prepareDemo(store: Store, today?: number): Promise<DemoAccount[] | undefined> {
  return (await fillDemo(store, today, () => declareFields(store))) ?? findDemo(store);
}

/** The numbers without a call for long, the most expensive first; nothing where no field says so. */
async function unusedQuery(store: Store): Promise<string | undefined> {
  const declared = await declarationsOf(store, 'virtual_numbers');
  if (!declared.some(({ name }) => name === LAST_CALL)) return undefined;
  const before = timestampOf(Date.now() - UNUSED_DAYS * MILLISECONDS_PER_DAY).slice(0, 'YYYY-MM-DD'.length);
  return `${LAST_CALL}_before=${before}&sort_by=monthly&sort_order=desc`;
}

export async function welcome(store: Store, accounts: readonly DemoAccount[], url: string): Promise<string> {
  const expiresAt = Date.now() + TOKEN_DAYS * MILLISECONDS_PER_DAY;
  const all: (DemoAccount & { readonly token: string })[] = [];
  for (const account of accounts) {
    const created = await createToken(store, account.id, TOKEN_NAME, expiresAt);
    if (created !== undefined) all.push({ ...account, token: created.token });
  }
  const numbers = `${url}${lists.virtual_numbers.path}`;
  const unused = await unusedQuery(store);
  const services = `${url}${lists.additional_services.path}`;
  const curl = (address: string) => `  curl -H "Authorization: Bearer ${all[0]?.token}" "${address}"\n`;
  return [
    `\nLinecard answers at ${url}\n`,
    ...all.map(({ id, about, token }) => `\n  ${id}: ${about}\n  ${token}\n`),
    `\nTry the first of them, in a browser:\n\n  ${url}/#token=${all[0]?.token}\n\nand from a terminal:\n\n`,
    curl(`${numbers}?page_size=3`),
    curl(`${numbers}?country_codes=DE&sort_by=next_payment_at`),
    curl(`${numbers}?q=20+7946`),
    curl(`${numbers}?is_spammed=true`),
    ...(unused === undefined ? [] : [curl(`${numbers}?${unused}`)]),
    curl(services),
    `\nThe reference is at ${url}/docs. The tokens are valid for ${TOKEN_DAYS} days. Press Ctrl-C to stop.\n\n`,
  ].join('');
}
