// The part of the guide about changes: how a copy of a list is brought up to date and what it can rely on.

import { changesPath } from '../contract/addresses.ts';
import { virtual_numbers } from '../contract/contract.ts';
import { EXAMPLE_URL } from './code-samples.ts';
import { fenced, lines } from './markdown.ts';

const path = changesPath(virtual_numbers);
const CURL = 'curl -H "Authorization: Bearer $LINECARD_TOKEN"';

export const changes = lines(
  'A copy of a list is brought up to date with what has changed since, not by reading everything again. The first request has no',
  'token, and the whole list comes; each answer has the token for the next:',
  '',
  fenced({
    lang: 'sh',
    source: [
      `${CURL} "${EXAMPLE_URL}${path}?page_size=1000"`,
      `${CURL} "${EXAMPLE_URL}${path}?page_size=1000&since=…"   # the since of the answer before`,
    ].join('\n'),
  }),
  '',
  fenced({
    lang: 'json',
    source:
      '{"data":[{"id":48151,"item":{"id":48151,"did":"+442079460018","…":"…"}},{"id":48152,"item":null}],"since":"…","more":false,"total":46}',
  }),
  '',
  '- `item` is the item as it is now, byte for byte as in the list. `null` says that this list, with these filters, does not have it:',
  '  remove it from the copy if it is there. Applying a change twice does no harm.',
  '- While `more` is `true`, ask again at once. Where it is `false`, a copy that has applied everything **equals the list** as of this',
  '  answer, and holds `total` items: count them. The copy and its token belong together: make both durable in one step.',
  '- Filters, `q` and `fields` are those of the list. A token goes with the filters that it was made for; sorting and page numbers',
  '  have no place here and are refused.',
  '- `since=now` gives a token alone, for a program that wants only what comes from here on.',
  '- With `Accept: application/x-ndjson` everything up to now comes in one stream, a change to a line. The last line is',
  '  `{"since":"…","total":46}`; a stream without it was cut off, and nothing of it may stay in the copy.',
  '- `Prefer: wait=25` waits for changes where there are none yet, at most 55 seconds. When the time is over, `data` is empty.',
  '- Pages and files of a list carry a `Link` with `rel="monitor"`: it leads to the changes from there on, so that an ordinary export',
  '  goes on as a copy. Of a list walked by `next` take that of the **last** page. An answer to `QUERY` has none: take a token with',
  '  `since=now` and the same filters before the export.',
  '- `410` `changes-gone` says that what has changed since can no longer be reported: start again without a token. The token is older',
  '  than the changes that are retained (30 days, unless the operator chose otherwise), the list was rebuilt at once, or the database was',
  '  restored from a backup.',
  '',
  'All of this is done by `client.virtualNumbers.sync` of `@linecard/client`, with four functions that write to your own database, and by',
  '`linecard virtual-numbers sync FILE`, with a file. `--watch` and `client.virtualNumbers.follow` go on, and see each change as it comes.',
);
