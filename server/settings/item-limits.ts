// How many items an import may remove, move or change: a number, or a share of what is there.

export type ItemLimit = { readonly items: number } | { readonly percent: number };

const ITEM_LIMIT = /^(0|[1-9]\d{0,15})(%?)$/;

export function readItemLimit(text: string): ItemLimit | undefined {
  const [, number, sign] = ITEM_LIMIT.exec(text) ?? [];
  if (number === undefined) return undefined;
  if (sign === '') return { items: Number(number) };
  return Number(number) <= 100 ? { percent: Number(number) } : undefined;
}

/** Of columns, how many items may change: `monthly=20%`. */
export interface ColumnLimit {
  readonly column: string;
  readonly limit: ItemLimit;
}

function readColumnLimit(text: string): ColumnLimit | undefined {
  const [column = '', number = '', ...more] = text.split('=');
  const limit = readItemLimit(number);
  return limit === undefined || more.length > 0 ? undefined : { column, limit };
}

export const columnLimits = {
  value: 'column=n',
  several: ' ' as const,
  allowed: 'columns with a number of items or a percentage, such as monthly=20% or comment=500',
  read(text: string): readonly ColumnLimit[] | undefined {
    const limits = text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(readColumnLimit);
    const known = limits.filter((one) => one !== undefined);
    return known.length > 0 && known.length === limits.length ? known : undefined;
  },
};

export const itemLimit = {
  value: 'n',
  allowed: 'a number of items such as 500, or a percentage such as 20%',
  read: readItemLimit,
};
