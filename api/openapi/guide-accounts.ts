// The guide's sections on the account of a token, the accounts below it, and its webhooks.

import { virtual_numbers } from '../contract/contract.ts';
import { WEBHOOKS_PATH } from '../contract/webhooks.ts';
import { accountSchema } from './account-schema.ts';
import { EXAMPLE_URL } from './code-samples.ts';
import { fenced, jsonExample, lines } from './markdown.ts';
import { exampleOf } from './schemas.ts';

const numbers = virtual_numbers.path;

export const account = lines(
  'Send your API token as `Authorization: Bearer lc_…`, or bare as `Authorization: lc_…`. It decides which account you see; no parameter',
  'does. Without a valid token the answer is `401`, whose `detail` says whether the token is missing, malformed (a character is wrong or',
  'lost: copy it again) or not valid (unknown, expired or revoked: ask for a new one).',
  '',
  '`GET /api/v1/account` says whose token it is, how many items each list has, and when anything last changed:',
  '',
  jsonExample(exampleOf(accountSchema)),
  '',
  'A token can have limits, as `token` says: one list only, no charges, or some networks. What it may not see is `403` `forbidden`.',
  'Without charges, `activation`, `monthly` and `incoming` are in no item, file or change, facets have counts alone, and `currency` is',
  '`null`; `fields`, `sort_by` and `charges` that need them are refused.',
  '',
  'Where the operator has connected an identity provider, its access tokens (JWTs) are accepted in the same header:',
  '`GET /.well-known/oauth-protected-resource`, and `WWW-Authenticate` of a `401`, say where to sign in and which scopes there are',
  '(RFC 9728). A claim of the token names the account, or several: then `Linecard-Account` says which one, and `GET /api/v1/accounts` lists',
  'them. A `401` says which check failed; a `403` with `error="insufficient_scope"` names the scope that is needed. `503`: the keys of the',
  'provider could not be fetched yet. `token.name` is then the client, and `token.expires_at` the end of the access token.',
  '',
  'Programs that only know user names and passwords (Excel, Power BI, Grafana, `curl -u`) send the token as either of them, and',
  'leave the other empty.',
);

export const accounts = lines(
  'A token with the reach `tree` also reads the accounts below its own, at any level: a reseller its customers, and theirs. Name the',
  'account in the header `Linecard-Account`, percent-encoded as UTF-8, on any address under `/api/v1`:',
  '',
  fenced({
    lang: 'sh',
    source: `curl --retry 5 -H "Authorization: Bearer $LINECARD_TOKEN" -H "Linecard-Account: harbour-dental" \\\n  "${EXAMPLE_URL}${numbers}"`,
  }),
  '',
  '`GET /api/v1/accounts` lists the accounts directly below yours, or below that of the header, a page at a time, with how many items and',
  'accounts each has; `q` is in the id or the name.',
  '',
  'The answer repeats the header, and everything in it is of that account: items, counts, currency, `ETag`, cursors and tokens of changes,',
  'which no other account takes. An account that is not below yours, is disabled or does not exist is `403` `forbidden`, all in the same',
  'words. Limits of the token hold for every account; its requests a minute are counted together.',
);

export const webhooks = lines(
  'A webhook sends what happens to a program of yours, by a signed `POST` (Standard Webhooks) within seconds of an import: the events of',
  'the section before, and `payments_due` once a day, if payments of the next 7 days are due. The operator creates the endpoint',
  `and gives you its secret. \`GET ${WEBHOOKS_PATH}\` says which endpoints the account has, what each subscribes to, its \`status\`, since`,
  'when it fails (`failing_since`), and its last 20 `attempts`.',
  '',
  'What the token may not see is left out: endpoints of other lists alone, their attempts, and `charges_changed`.',
);
