// The routes of operations: what a request gives them, and what they answer, as JSON.

import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from '../limits/intake-limits.ts';
import { Wrong } from '../operations/field.ts';
import { type AnyOperation, Unable } from '../operations/operation.ts';
import { type MemberFault, readShape, ShapeRefused, sentenceOf } from '../operations/shape.ts';
import type { WithStore } from '../store/store.ts';
import { StoreBusy } from '../store/store-errors.ts';
import { type JsonAnswer, type JsonCall, type JsonRoute, rejected } from './json-routes.ts';

const INTAKE_PATH = '/intake/v1';

/** The stores of the intake, by what operations do. */
export interface OperationStores {
  readonly read: WithStore;
  readonly own: WithStore;
  readonly slow: WithStore;
}

export interface OperationSettings {
  readonly stores: OperationStores;
  /** How long an operation waits for an import to end. */
  readonly importTimeoutMs: number;
  /** All that there are, to say which of them helps. */
  readonly operations: readonly AnyOperation[];
}

/** `/tokens/{id}` as the framework has it. */
const urlOf = ({ route: { path } }: AnyOperation) => INTAKE_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Whether what is given is in the query string; else it is in the body. */
const isInQuery = ({ route: { method } }: AnyOperation) => method === 'GET' || method === 'DELETE';

/** Texts as JSON has their values. */
function givenOf(operation: AnyOperation, { query, body }: JsonCall): Readonly<Record<string, unknown>> {
  if (!isInQuery(operation)) return body;
  const fields = operation.takes;
  return Object.fromEntries(
    Array.from(query, ([name, text]) => [name, fields[name]?.ofText?.(text) ?? text]),
  );
}

/** Faults as an answer: of parameters, or of members of the body. */
function refused(operation: AnyOperation, { faults }: ShapeRefused): Problem {
  const details = faults.map((fault) => [fault.member, sentenceOf(fault, fault.member)] as const);
  return isInQuery(operation)
    ? invalidParameter(details.map(([parameter, detail]) => ({ parameter, detail })))
    : rejected(details.map(([member, detail]) => ({ member, detail })));
}

function unable({ code, message, see }: Unable, operations: readonly AnyOperation[]): Problem {
  const helps = operations.find(({ words }) => words === see?.words)?.route;
  const lead = see?.lead ?? 'See';
  const advice = helps === undefined ? '' : ` ${lead}: ${helps.method} ${INTAKE_PATH}${helps.path}`;
  return new Problem(code, message + advice);
}

interface Identified {
  readonly id: string;
}

async function answer(
  operation: AnyOperation,
  call: JsonCall,
  { stores, importTimeoutMs }: OperationSettings,
): Promise<JsonAnswer> {
  operation.mustBePossible?.();
  const { route, takes, of } = operation;
  const given = readShape(takes, givenOf(operation, call), of, idFaults(operation, call.id));
  const { name: actor, accounts, limits } = call.sender;
  const by = { origin: 'intake', actor, accounts, limits } as const;
  const waits = { lockTimeoutMs: importTimeoutMs, signal: call.signal };
  const out = await stores[route.on]((store) => operation.run({ store, by, waits }, given as never, call.id));
  const { status, body } = operation.outcome?.(out as never) ?? { status: route.status, body: out };
  if (status === 204) return { status };
  if (status !== 201 || (!route.hasLocation && route.method !== 'PUT')) return { status, body };
  const path = route.path.replace(/\/\{id\}.*/, '');
  const location = `${INTAKE_PATH}${path}/${encodeURIComponent((body as Identified).id)}`;
  return { status, body, headers: { location } };
}

/** What is wrong with an id that a record would be created with. */
function idFaults({ id: field, route }: AnyOperation, id: string): MemberFault[] {
  const read = route.method === 'PUT' ? field?.read(id) : undefined;
  return read instanceof Wrong ? read.faults.map((what) => ({ member: 'id', what })) : [];
}

/** What went wrong as an answer. */
function problemOf(error: unknown, operation: AnyOperation, { operations }: OperationSettings): unknown {
  if (error instanceof ShapeRefused) return refused(operation, error);
  if (error instanceof Unable) return unable(error, operations);
  if (!(error instanceof StoreBusy)) return error;
  const headers = { 'retry-after': String(intakeLimits.importWait.retrySeconds) };
  return new Problem('unavailable', error.message, { headers, cause: error });
}

export function operationRoutes(settings: OperationSettings): JsonRoute[] {
  return settings.operations.map((operation) => ({
    method: operation.route.method,
    url: urlOf(operation),
    operation: operation.route.permission,
    parameters: isInQuery(operation) ? Object.keys(operation.takes) : undefined,
    async run(call) {
      try {
        return await answer(operation, call, settings);
      } catch (error) {
        throw problemOf(error, operation, settings);
      }
    },
  }));
}
