// The text of an item as statements select it: that which is stored, with the operator's own fields of the
// list, which are in columns of their own.

import type { Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { itemWithOwn } from './own-columns.ts';
import type { OwnFields } from './tables.ts';

interface Selected {
  /** How long the stored text may be, in bytes; a longer one is empty. */
  readonly itemBytes?: number | undefined;
  readonly own?: OwnFields | undefined;
}

/** The column `item`. */
export function itemColumn(dialect: Dialect, values: Values, { itemBytes, own }: Selected): string {
  const item = own === undefined ? 'item' : itemWithOwn(own, dialect);
  if (itemBytes !== undefined)
    return `case when octet_length(item) > ${values.bind(itemBytes)} then '' else ${item} end as item`;
  return own === undefined ? item : `${item} as item`;
}

interface Members extends Selected {
  /** Whether whose item it is comes first. */
  readonly ofAccount: boolean;
  /** Columns of fields that answers do not have. */
  readonly hidden: readonly string[];
}

/** The text of an item with what an import reads as well: its account, and what is in hidden columns. */
export function importedItemColumn(dialect: Dialect, { ofAccount, hidden, own }: Members): string {
  const item = own === undefined ? 'item' : itemWithOwn(own, dialect);
  const columns = [...(ofAccount ? ['account_id'] : []), ...hidden];
  if (columns.length === 0) return `${item} as item`;
  const members = columns.map((column) => `'"${column}":' || ${dialect.jsonText(column)}`);
  return `'{' || ${members.join(` || ',' || `)} || ',' || substr(${item}, 2) as item`;
}
