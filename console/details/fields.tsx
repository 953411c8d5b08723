// The fields of an item: what it is searched by, its price and flags first, then money, state and dates. A
// click on a value copies it as it is stored.

import { type ActivityPart, sinceOf } from '../activity/entries.ts';
import { useShown } from '../address.tsx';
import { copiedValue, dueField, type FieldFacts, type ListFacts, priceField, type Row } from '../contract.ts';
import { shownCharge } from '../format.ts';
import { Marks, Value } from '../list/value.tsx';
import { CopyText } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { billedLabel, FREQUENCY, fieldLabel, flagWord, isOneTime, MONTHLY, moneyFields } from '../words.ts';

const words = texts.details;
const GROUPS = ['money', 'state', 'dates', 'own'] as const;
/** The operator's own fields are theirs by name. */
const GROUP_WORDS = { ...words.groups, own: texts.product };

function groupOf({ name, kind, ownTitle }: FieldFacts): (typeof GROUPS)[number] {
  if (ownTitle !== undefined) return 'own';
  if (kind === 'charge' || moneyFields.includes(name)) return 'money';
  return kind === 'timestamp' ? 'dates' : 'state';
}

/** What an item is searched by. */
const headFields = ({ search, fields }: ListFacts) =>
  search.flatMap((name) => fields.filter((field) => field.name === name && field.ownTitle === undefined));

interface FieldsProps {
  readonly row: Row;
  readonly currency: string | undefined;
  /** Absent until it is known. */
  readonly history: ActivityPart | undefined;
}

export function Fields({ row, currency, history }: FieldsProps) {
  const { list } = useShown();
  const inHead = headFields(list);
  const fields = list.fields.filter((field) => !inHead.includes(field));
  return GROUPS.map((group) => {
    const own = fields.filter((field) => groupOf(field) === group);
    // What a program calls the item comes after what people do.
    own.sort((a, b) => Number(a.name === 'id') - Number(b.name === 'id'));
    if (own.length === 0) return null;
    return (
      <section key={group} aria-labelledby={`details-${group}`}>
        <h3 id={`details-${group}`}>{GROUP_WORDS[group]}</h3>
        <dl className="fields">
          {own.map((field) => (
            <div key={field.name} className="field">
              <dt title={field.about}>{fieldLabel(field)}</dt>
              <dd>
                <Stored field={field} row={row} currency={currency} />
                <Since {...{ list, field, row, history }} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    );
  });
}

/** `€1.99 a month, billed quarterly`, or what is charged once. */
function priceText(row: Row, currency: string | undefined): string | undefined {
  const { [priceField]: price, [FREQUENCY]: frequency, activation } = row;
  if (typeof price !== 'number') return undefined;
  if (isOneTime(row) && typeof activation === 'number')
    return texts.glance.oneTime(shownCharge(activation, currency));
  const monthly = texts.glance.dueSummary(shownCharge(price, currency));
  const isOther = typeof frequency === 'string' && !['', MONTHLY].includes(frequency);
  return isOther ? `${monthly}, ${billedLabel(frequency)}` : monthly;
}

/** What an item is known by, its price and its flags. */
export function Head({ row, currency }: Omit<FieldsProps, 'history'>) {
  const { list } = useShown();
  const [first, ...notes] = headFields(list);
  const price = list.fields.some(({ name }) => name === priceField) ? priceText(row, currency) : undefined;
  return (
    <div className="details-head">
      {first !== undefined && (
        <p className="details-name">
          <Stored field={first} row={row} currency={currency} />
        </p>
      )}
      <p className="flow details-price">
        {price !== undefined && <strong>{price}</strong>}
        <Marks list={list} row={row} />
      </p>
      {notes
        .filter(({ name }) => row[name] !== '')
        .map((field) => (
          <p key={field.name} className="details-note">
            <Stored field={field} row={row} currency={currency} />
          </p>
        ))}
    </div>
  );
}

function Stored({ field, row, currency }: { field: FieldFacts; row: Row; currency: string | undefined }) {
  const value = row[field.name];
  if (value === null || value === undefined || value === '') {
    return <Value field={field} row={row} currency={currency} />;
  }
  const exact = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return (
    <>
      <CopyText value={copiedValue(field, exact)} label={fieldLabel(field)}>
        {value === false ? flagWord(field, value) : <Value field={field} row={row} currency={currency} />}
      </CopyText>
      {field.kind === 'timestamp' && (
        <span className="exact">
          {field.name !== dueField && <span>{shownTime(exact).relative}</span>}
          <code>{exact}</code>
        </span>
      )}
    </>
  );
}

interface SinceProps extends Pick<FieldsProps, 'row' | 'history'> {
  readonly list: ListFacts;
  readonly field: FieldFacts;
}

function Since({ list, field, row, history }: SinceProps) {
  const since = history && sinceOf(list, field, row, history);
  if (since === undefined) return null;
  const { day, full } = shownTime(since.at);
  return (
    <span className="exact" title={full}>
      {since.isAtLeast ? words.sinceAtLeast(day) : words.since(day)}
    </span>
  );
}
