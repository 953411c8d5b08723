// A question about an account: everything its answer depends on, as data that can be sent to another thread.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { Query } from '@linecard/client/contract/query';
import { type VisibleFields, visibleFields } from '../lists/fields.ts';
import { type Caller, invalidToken, mustNameAccount, scopeHeaders } from '../store/access/callers.ts';
import { Refusal } from '../store/access/refusals.ts';
import { type ListName, type OwnFields, tables, tableWith } from '../store/tables.ts';

/**
 * The account, token and limits of a caller, with the revision of the account if looking up the token has
 * read it.
 */
export type Owner = Pick<Caller, 'account_id' | 'token_id' | 'revision' | 'limits' | 'issued' | 'operator'>;

export interface LongBody {
  readonly text: string;
  readonly maxPageSize: number;
}

/** What all questions have. */
interface Request {
  readonly owner: Owner;
  readonly query: Query;
  /** Replaces `query` if the body is so long that a worker thread must parse it. */
  readonly longBody?: LongBody | undefined;
  /**
   * The suffix of the entity tag: what the caller may not see, and the representation, such as `-csv-gzip`;
   * empty for JSON of everything.
   */
  readonly form: string;
  /** Whether the query is in the body (QUERY), so that links cannot contain it. */
  readonly isInBody: boolean;
}

/** About a list as JSON. `kind` is the entry of `WORK` that answers a question. */
export interface ListQuestion extends Request {
  readonly kind: 'page' | 'facets' | 'changes' | 'ranges';
  readonly list: ListName;
  /** The own fields of the list, as they were known when it was made; absent if it has none. */
  readonly own?: OwnFields | undefined;
}

/** A list, its changes or its ranges as a stream. */
export interface StreamQuestion extends Request {
  readonly kind: 'export' | 'workbook' | 'change_stream' | 'ranges_file';
  readonly list: ListName;
  /** The own fields of the list, as they were known when it was made; absent if it has none. */
  readonly own?: OwnFields | undefined;
  readonly format: FileFormat;
}

export interface ItemQuestion extends Request {
  readonly kind: 'item';
  readonly list: ListName;
  /** The own fields of the list, as they were known when it was made; absent if it has none. */
  readonly own?: OwnFields | undefined;
  /** `undefined` if the path does not contain a valid id. */
  readonly id: number | undefined;
}

export interface AccountQuestion extends Request {
  readonly kind: 'account' | 'accounts' | 'activity' | 'webhooks';
}

export interface WebhookQuestion extends Request {
  readonly kind: 'webhook';
  /** `undefined` if the path does not contain a valid id. */
  readonly id: string | undefined;
}

export type Question = ListQuestion | StreamQuestion | ItemQuestion | AccountQuestion | WebhookQuestion;
export type Kind = Question['kind'];
export type QuestionOf<K extends Kind, Q = Question> = Q extends { readonly kind: string }
  ? K extends Q['kind']
    ? Q
    : never
  : never;
/** A question about a list or its items. */
export type QuestionOfList = Extract<Question, { readonly list: ListName }>;

/** What a question is about, without its caller and query: what the path and `Accept` of a request say. */
export type Subject<Q = Question> = Q extends Question ? Omit<Q, keyof Request> : never;

export const isAboutList = (question: Question): question is QuestionOfList => 'list' in question;
export const isStreamed = (question: Question): question is StreamQuestion => 'format' in question;

/** The fields of the items of an answer. */
export function fieldsOf({ list, own, query, owner }: QuestionOfList): VisibleFields {
  return visibleFields(tableWith(list, own).list, query.fields, owner.limits.charges);
}

const LISTS = Object.keys(tables) as ListName[];

/** The lists, and whether a caller sees them. */
export function visibleLists({ limits }: Owner): (readonly [list: ListName, isVisible: boolean])[] {
  return LISTS.map((list) => [list, limits.lists?.includes(list) ?? true]);
}

/**
 * @throws {Problem} `forbidden`; where parameters need what the caller may not see, it names them.
 */
export function mustBeAllowed({ kind, query, owner }: Pick<Question, 'kind' | 'query' | 'owner'>): void {
  if (kind === 'accounts' && owner.limits.reach === 'account' && !mustNameAccount(owner)) {
    const detail = 'This token reads its own account alone: its reach is not tree.';
    throw new Refusal('forbidden', detail, 'reach', { headers: scopeHeaders(owner, 'tree') });
  }
  const { charged = [] } = query;
  if (owner.limits.charges || charged.length === 0) return;
  const faults = charged.map((parameter) => ({
    parameter,
    detail: `This token may not see any charge, and ${parameter} asks for one.`,
  }));
  const headers = scopeHeaders(owner, 'charges');
  throw new Refusal('forbidden', String(faults[0]?.detail), 'charges', { faults, headers });
}

/** A row that exists unless the account or token was deleted after the token was looked up. */
export function knownRow<T>(row: T | undefined): T {
  if (row === undefined) throw invalidToken('token_unknown');
  return row;
}
