// An operation: what an operator can do, described once. A command and a route are made from it. It says what
// it takes and answers; locks and their order are written in `run`.

import type {
  CustomerScope,
  OperatorScope,
  Operation as Permission,
  ReadLimits,
} from '../store/access/token-scopes.ts';
import type { CreatedToken } from '../store/access/tokens.ts';
import type { EventOrigin } from '../store/log/audit.ts';
import type { LoadOptions, Store } from '../store/store.ts';
import { type Field, isLine, type Schema, Wrong } from './field.ts';
import type { Given, Shape } from './shape.ts';

/** Who does it, and of which accounts; all if absent. */
export interface Actor extends EventOrigin {
  readonly accounts?: readonly string[] | undefined;
  /** What they see of what they read; all if absent. */
  readonly limits?: ReadLimits | undefined;
}

export interface Context {
  readonly store: Store;
  readonly by: Actor;
  /** How an import in progress is waited for. */
  readonly waits?: Pick<LoadOptions, 'lockTimeoutMs' | 'signal' | 'onWait'>;
  /** Gives its user a token, which is shown once; where that fails, it is deleted. */
  readonly handOver?: (created: CreatedToken, scope: CustomerScope | OperatorScope) => Promise<void>;
}

/** Which operation helps, such as `account list`. */
export interface Advice {
  readonly words: string;
  /** What it is for; `See` if absent. */
  readonly lead?: string;
  /** What its command is about. */
  readonly rest?: string;
  /** The options of its command, as they are typed. */
  readonly options?: string;
}

/** Why an operation cannot be done, in the words of both the command line and the answers over HTTP. */
export class Unable extends Error {
  override readonly name = 'Unable';
  readonly code: 'not-found' | 'conflict' | 'forbidden' | 'unavailable';
  readonly see: Advice | undefined;

  constructor(code: Unable['code'], message: string, see?: Advice) {
    super(message);
    this.code = code;
    this.see = see;
  }
}

/** The route of an operation under `/intake/v1`. */
export interface OperationRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/tokens/{id}`. */
  readonly path: string;
  readonly status: 200 | 201 | 204;
  readonly permission: Permission;
  /** Which store it runs on: to read, to write shortly, or to write for as long as it takes. */
  readonly on: 'read' | 'own' | 'slow';
  /** Of its answer; absent for none. */
  readonly answer?: { readonly schema: Schema; readonly about: string };
  /** Whether the answer says in `Location` where the record is that was created. */
  readonly hasLocation?: true;
}

export interface Operation<S extends Shape = Shape, Out = unknown> {
  /** As they are typed, such as `token create`. */
  readonly words: string;
  /** One line: what it does. */
  readonly title: string;
  readonly about: string;
  /** What a member is said not to be of, such as `a token`. */
  readonly of: string;
  /** The id in its path and the first word of its command; absent if it has none. */
  readonly id?: Field<string>;
  /** In the query string of GET and DELETE, and in the body of others. */
  readonly takes: S;
  /** The members that an example of a request has. */
  readonly shown?: readonly (keyof S & string)[];
  readonly route: OperationRoute;
  /** Done before what is given is read, where it can be done at all. */
  mustBePossible?(): void;
  /**
   * Does it.
   * @throws {Unable}
   */
  run(context: Context, given: Given<S>, id: string): Promise<Out>;
  /** What is answered, if not the status of its route with what `run` returns. */
  outcome?(out: Out): { readonly status: number; readonly body: unknown };
  /** What its command says when it is done. */
  said?(out: Out): string;
}

/** Types what `run` gets by what the operation takes. */
export const operation = <S extends Shape, Out>(definition: Operation<S, Out>): Operation<S, Out> =>
  definition;

/** An operation of any shape, for tables of them. */
export interface AnyOperation extends Omit<Operation, 'run' | 'outcome' | 'said' | 'shown'> {
  readonly shown?: readonly string[];
  run(context: Context, given: never, id: string): Promise<unknown>;
  outcome?(out: never): { readonly status: number; readonly body: unknown };
  said?(out: never): string;
}

const MAX_ID_CHARACTERS = 100;

/** The id of a token or of a run: any text, because one that is not there is not found. */
export const anyId = (about: string, example: string): Field<string> => ({
  about,
  example,
  schema: { type: 'string' },
  read: (value) => (isLine(value, MAX_ID_CHARACTERS) ? value : new Wrong('is not an id')),
});

export const isOf = ({ accounts }: Actor, account_id: string): boolean =>
  accounts?.includes(account_id) ?? true;

/** @throws {Unable} */
export function mustBeOwn(by: Actor, account_id: string, what: string): void {
  if (isOf(by, account_id)) return;
  throw new Unable('forbidden', `This token may not ${what} the account ${account_id}.`);
}
