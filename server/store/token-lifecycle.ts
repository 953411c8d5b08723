// What becomes of a token once it is made, the same for those of customers and of operators: it is used, it
// ends, is revoked, or is taken back.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { recordTokens, type TokenEvent, type TokenTable } from './audit.ts';
import { Values } from './conditions.ts';
import { apart, type Statement } from './sql.ts';
import type { Store } from './store.ts';

/** When a token is to end that is good for as long as another was made for; milliseconds since 1970. */
export function endOfSuccessor(old: { created_at: string; expires_at: string | null }): number | undefined {
  if (old.expires_at === null) return undefined;
  return Date.now() + Date.parse(old.expires_at) - Date.parse(old.created_at);
}

/** The statement that records when a token was used, where that is later than what is recorded. */
export function useStatement({ dialect }: Store, table: TokenTable, id: string, at: number): Statement {
  const values = new Values(dialect);
  const [time, token] = [values.bind(timestampOf(at)), values.bind(id)];
  const text = `update ${table} set last_used_at = ${time}
    where id = ${token} and (last_used_at is null or last_used_at < ${time})`;
  return apart({ text, values: values.list });
}

/** What can become of the tokens of a table; each is in the audit log, in the same transaction. */
export function lifecycleOf(table: TokenTable) {
  type Text = (id: string, bind: (value: string) => string) => string;
  const write = async (store: Store, event: TokenEvent, id: string, textOf: Text) => {
    const values = new Values(store.dialect);
    const text = textOf(values.bind(id), (value) => values.bind(value));
    const changes = await store.write(
      recordTokens(store, event, { table, id }),
      apart({ text, values: values.list }),
    );
    return changes[1] === 1;
  };
  return {
    /** Ends a token at a time (milliseconds since 1970), unless it ends before. */
    end: async (store: Store, token_id: string, milliseconds: number): Promise<void> => {
      await write(store, 'ending', token_id, (id, bind) => {
        const end = bind(timestampOf(milliseconds));
        return `update ${table} set expires_at = ${end} where id = ${id} and (expires_at is null or expires_at > ${end})`;
      });
    },

    /** Takes back a token that was handed to nobody. */
    forget: async (store: Store, token_id: string): Promise<void> => {
      await write(store, 'withdrawn', token_id, (id) => `delete from ${table} where id = ${id}`);
    },

    /** Revokes a token for good: `revoked`, `already` when it was, or `unknown`. */
    revoke: async (store: Store, token_id: string): Promise<'revoked' | 'already' | 'unknown'> => {
      const isRevoked = await write(store, 'revoked', token_id, (id, bind) => {
        const now = bind(timestampOf());
        return `update ${table} set revoked_at = ${now} where id = ${id} and revoked_at is null`;
      });
      if (isRevoked) return 'revoked';
      const text = `select id from ${table} where id = ${store.dialect.placeholder(1)}`;
      const [rows] = await store.read({ text, values: [token_id] });
      return rows.length === 1 ? 'already' : 'unknown';
    },
  };
}
