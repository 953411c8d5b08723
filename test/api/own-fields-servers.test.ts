// Two servers on one database, of which one has not noticed what was declared or removed: each answers by
// what it knows, never by a mixture, and who follows a list by both has at the end what a new reader gets.
// OWN_FIELDS_RUNS sets how many histories.

import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { changesPath } from '../../api/contract/addresses.ts';
import { declarationsStatement, declaredStatement } from '../../server/store/lists/own-fields.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const RUNS = Number(process.env['OWN_FIELDS_RUNS'] ?? 3);
const PATH = '/api/v1/did/me';
const CHANGES = changesPath({ path: PATH });
const ACCOUNT = 'C1';
const ROWS = 8;
/** In seconds. A client that waits is answered long before. */
const WAIT = 55;
const PATIENCE_MS = 40_000;
const SITES = ['', 'Basel', 'Bern', 'Zürich'] as const;
const NAMES = ['x_site', 'x_trunk', 'x_desk'] as const;

type Item = Readonly<Record<string, unknown>>;
type Items = Map<unknown, Item>;

/** A field as it was declared once, and its values by item: a later one of that name is another. */
interface Known {
  readonly name: string;
  readonly values: Map<unknown, string>;
}

interface Server {
  readonly service: Service;
  /** Whether it reads now what is declared. */
  notices: boolean;
  knows: readonly Known[];
}

const histories = fc.array(
  fc.record({
    act: fc.constantFrom('add', 'add', 'remove', 'import', 'import', 'notice', 'notice'),
    pick: fc.nat(),
    site: fc.constantFrom(...SITES),
    /** Which server followers ask, request by request. */
    turns: fc.array(fc.nat(1), { maxLength: 6 }),
  }),
  { minLength: 4, maxLength: 14 },
);

/** A copy of the list, read and followed one request at a time; `false` once nothing is left to read. */
type Follow = (ask: (url: string) => Promise<ServiceAnswer>) => Promise<boolean>;

function follower(begin: string): { readonly copy: Items; readonly follow: Follow } {
  const copy: Items = new Map();
  let url = begin;
  const follow: Follow = async (ask) => {
    const { status, body, links } = await ask(url);
    if (status === 410) {
      copy.clear();
      url = begin;
      return true;
    }
    assert.equal(status, 200, body);
    if (url === begin) copy.clear();
    const { data, since, more } = JSON.parse(body);
    if (since === undefined) {
      for (const item of data) copy.set(item.id, item);
      url = links.get('next') ?? links.get('monitor') ?? begin;
      return true;
    }
    for (const { id, item } of data)
      if (item === null) copy.delete(id);
      else copy.set(id, item);
    url = `${CHANGES}?page_size=3&since=${since}`;
    return more;
  };
  return { copy, follow };
}

for (const kind of stores) {
  describe(`own fields of two servers on ${kind.name}`, () => {
    const servers: Server[] = [];
    let database: Awaited<ReturnType<typeof databaseOf>>;
    let plain: readonly Item[] = [];
    const serverAt = (pick: number) => servers[pick % servers.length] as Server;

    const notice = async (server: Server, declared: readonly Known[]) => {
      server.notices = true;
      await server.service.refresh();
      server.notices = false;
      server.knows = [...declared];
    };
    const itemsOf = async ({ service }: Server, query = ''): Promise<readonly Item[]> =>
      JSON.parse((await service.ask(ACCOUNT, `${PATH}?page_size=1000${query}`)).body).data;

    before(async () => {
      database = await databaseOf(kind);
      const one = { ...kind, makeWithSchema: async () => ({ ...database, remove: async () => {} }) };
      const rows = Array.from({ length: ROWS }, (_, i) => numberRow(ACCOUNT, i + 1));
      for (const virtual_numbers of [rows, []]) {
        const state = { notices: true, knows: [] };
        const service = await openService(one, {
          accounts: [ACCOUNT],
          rows: { virtual_numbers },
          beforeReading(text) {
            if (text === declarationsStatement.text && !state.notices) throw new Error('It does not notice.');
          },
        });
        servers.push(Object.assign(state, { service }));
      }
      plain = await itemsOf(serverAt(0));
    });
    after(async () => {
      for (const { service } of servers) await service.close();
      await database.remove();
    });

    test('each answers by what it knows, and a follower that asks both ends with the list as it is', async () => {
      const { operator } = serverAt(0).service;
      const asOf = ({ knows }: Server, item: Item): Item => ({
        ...item,
        ...Object.fromEntries(knows.map(({ name, values }) => [name, values.get(item['id']) ?? ''])),
      });
      /** What each entity tag stood for, by address: also what the other server answers. */
      const tagged = new Map<string, string>();

      /** Declares nothing, as if the columns of what was removed had rested. */
      const reset = async () => {
        const columns = Array.from(
          { length: 16 },
          (_, i) => `own_${i + 1} = null, own_${i + 1}_folded = null`,
        );
        for (const text of [`update virtual_numbers set ${columns.join()}`, 'delete from own_fields'])
          await operator.write({ text, values: [] });
        tagged.clear();
      };

      const mustAnswer = async (server: Server) => {
        const expected = plain.map((item) => asOf(server, item));
        const { status, body, headers } = await server.service.ask(ACCOUNT, `${PATH}?page_size=1000`);
        assert.deepEqual([status, JSON.parse(body).data], [200, expected]);
        const tag = String(headers['etag']);
        assert.equal(tagged.get(tag) ?? body, body, `${tag} is of one answer alone`);
        tagged.set(tag, body);
        for (const [one, body] of [...tagged].slice(-4)) {
          const answer = await server.service.ask(ACCOUNT, `${PATH}?page_size=1000`, {
            'if-none-match': one,
          });
          assert.equal(answer.status, one === tag ? 304 : 200, body);
        }
        for (const name of NAMES) {
          const known = server.knows.find((own) => own.name === name);
          const query = `${name}=Basel&sort_by=${name}`;
          const filtered = await server.service.ask(ACCOUNT, `${PATH}?page_size=1000&${query}`);
          if (known === undefined) {
            assert.equal(filtered.status, 400, filtered.body);
            continue;
          }
          assert.deepEqual(
            JSON.parse(filtered.body).data,
            expected.filter((item) => item[name] === 'Basel'),
          );
          const facets = await server.service.ask(ACCOUNT, `${PATH}/facets`);
          assert.ok(name in JSON.parse(facets.body).facets, facets.body);
        }
      };

      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const declared: Known[] = [];
          await reset();
          for (const server of servers) await notice(server, declared);
          const followers = [`${PATH}?page_size=3`, `${CHANGES}?page_size=3`].map(follower);
          const askAt = (turn: number) => async (url: string) => {
            const server = serverAt(turn);
            const answer = await server.service.ask(ACCOUNT, url);
            const items = answer.status === 200 ? (JSON.parse(answer.body).data as Item[]) : [];
            for (const one of items) {
              const item = ('item' in one ? one['item'] : one) as Item | null;
              const own = Object.keys(item ?? {}).filter((name) => name.startsWith('x_'));
              if (item !== null)
                assert.deepEqual(
                  own,
                  server.knows.map(({ name }) => name),
                );
            }
            return answer;
          };
          for (const { act, pick, site, turns } of history) {
            const some = declared[pick % Math.max(1, declared.length)];
            const free = NAMES.filter((name) => declared.every((own) => own.name !== name));
            const name = free[pick % Math.max(1, free.length)];
            if (act === 'add' && name !== undefined) {
              await declareField(operator, { name, kind: 'text' });
              declared.push({ name, values: new Map() });
            } else if (act === 'remove' && some !== undefined) {
              await removeField(operator, some.name);
              declared.splice(declared.indexOf(some), 1);
            } else if (act === 'import' && some !== undefined) {
              const id = (pick % ROWS) + 1;
              await updateNumbers(operator, [{ account_id: ACCOUNT, id, [some.name]: site }]);
              some.values.set(id, site);
            } else if (act === 'notice') await notice(serverAt(pick), declared);
            for (const server of servers) await mustAnswer(server);
            for (const turn of turns) for (const { follow } of followers) await follow(askAt(turn));
          }
          for (const server of servers) await notice(server, declared);
          const now = await itemsOf(serverAt(0));
          for (const { copy, follow } of followers) {
            for (let turn = 0; await follow(askAt(turn)); turn += 1) assert.ok(turn < 50, 'It ends.');
            assert.deepEqual([...copy.values()], now);
          }
        }),
        { numRuns: Math.ceil(RUNS * kind.share) },
      );
    });

    test('a copy begun with a token of now, of a list that was read where nobody had noticed yet, is read again', async () => {
      const [one, other] = servers as [Server, Server];
      const { operator } = one.service;
      const changesSince = async (since: string) => {
        const { status, body } = await one.service.ask(ACCOUNT, `${CHANGES}?since=${since}`);
        return { status, ...JSON.parse(body) };
      };
      /** What following says at first, once all have noticed, and whether the copy lacks nothing. */
      const statuses = async (change: () => Promise<unknown>, noticed: readonly Server[]) => {
        await change();
        for (const server of noticed) await notice(server, []);
        const { since } = await changesSince('now');
        const copy = await itemsOf(other);
        const first = await changesSince(since);
        mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
        const then = await changesSince(first.since);
        mock.timers.reset();
        return [first.status, then.status, isDeepStrictEqual(copy, await itemsOf(one))];
      };
      const add = () => declareField(operator, { name: 'x_now', kind: 'text' });
      const age = (days: number) => async () => {
        const [[row]] = await operator.read(declaredStatement('virtual_numbers'));
        const old = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
        const text = String(row?.[0]).replaceAll(/"\d{4}-\d\d-\d\d/g, `"${old}`);
        await operator.write({ text: 'update own_fields set declared = $1', values: [text] });
      };
      assert.deepEqual(await statuses(add, [one]), [200, 410, false]);
      assert.deepEqual(await statuses(age(1), servers), [200, 200, true]);
      assert.deepEqual(await statuses(() => removeField(operator, 'x_now'), [one]), [200, 410, false]);
      // By a clock that was wrong.
      assert.deepEqual(await statuses(age(-2), servers), [200, 200, true]);
    });

    test('a client that waits for a change is answered as soon as its server notices', async () => {
      const [one] = servers as [Server];
      const { service } = one;
      const url = `http://127.0.0.1:${await service.listen()}`;
      const ask = (path: string, more = {}) =>
        fetch(url + path, {
          headers: { authorization: service.tokenOf(ACCOUNT).token, ...more },
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
      await declareField(service.operator, { name: 'x_late', kind: 'text' });
      // The import is seen by all, the field by none yet.
      await updateNumbers(service.operator, [{ account_id: ACCOUNT, id: 1, x_late: 'Basel' }]);
      const { headers } = await ask(PATH);
      const { since } = (await (await ask(`${CHANGES}?page_size=100`)).json()) as { since: string };
      const prefer = { prefer: `wait=${WAIT}` };
      const waiting = [
        ask(PATH, { ...prefer, 'if-none-match': String(headers.get('etag')) }),
        ask(`${CHANGES}?since=${since}`, prefer),
      ];
      await until('both wait', () => service.waiting === 2);
      await notice(one, []);
      const [page, changes] = await Promise.all(waiting);
      assert.equal(page?.status, 200);
      const { data } = (await page.json()) as { data: Item[] };
      assert.equal(data[0]?.['x_late'], 'Basel');
      assert.equal(changes?.status, 410);
    });
  });
}
