// The text of an item as statements select it: that which is stored, with the operator's own fields of the
// list, which are in columns of their own.

import type { OwnField } from '@linecard/client/contract/list';
import type { Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { itemWithOwn } from './own-columns.ts';

interface Selected {
  /** How long the stored text may be, in bytes; a longer one is empty. */
  readonly itemBytes?: number | undefined;
  readonly own?: readonly OwnField[] | undefined;
}

/** The column `item`. */
export function itemColumn(dialect: Dialect, values: Values, { itemBytes, own }: Selected): string {
  const item = own === undefined ? 'item' : itemWithOwn(own, dialect);
  if (itemBytes !== undefined)
    return `case when octet_length(item) > ${values.bind(itemBytes)} then '' else ${item} end as item`;
  return own === undefined ? item : `${item} as item`;
}
