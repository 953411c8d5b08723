// The messages between the request thread and its worker threads. Everything here can be copied from one to
// the other.

import type { Fault, ProblemCode } from '@linecard/client/contract/problems';
import type { StoreOptions } from '../../store/store.ts';
import type { Answer, AnswerStream } from '../answer.ts';
import type { EngineSettings, FoundPage } from '../engine.ts';
import type { ListName, Question } from '../question.ts';

/** What a worker thread starts with. */
export interface WorkerSettings extends EngineSettings {
  readonly databaseUrl: string;
  readonly options: StoreOptions;
  /** Whether the request thread comes first where both need the same processor. */
  readonly hasLowPriority: boolean;
}

/** A question, with what an index has found for it. */
export interface QuestionTask {
  readonly question: Question;
  readonly found?: FoundPage | undefined;
  readonly timeMs?: number | undefined;
}

/** Which index to build. */
export interface IndexTask {
  readonly list: ListName;
  readonly account_id: string;
  readonly maxBytes: number;
}

/** To a worker thread: a task, or a buffer for the next chunk of a stream, by the id of its question. */
export type WorkerRequest = { readonly id: number } & (
  | QuestionTask
  | IndexTask
  | { readonly streamId: number; readonly buffer: ArrayBuffer }
);

/** A request, or which stream is to be closed. */
export type WorkerMessage = WorkerRequest | { readonly closedStream: number };

/** From a worker thread: a result, or an error. */
export interface WorkerResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: CopiedError;
}

/** An error that has crossed between threads. */
export interface CopiedError {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly problem?: {
    readonly code: ProblemCode;
    readonly faults: readonly Fault[] | undefined;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly isUnavailable: boolean;
  /** Whether the row guard refused. */
  readonly isForeign: boolean;
}

/** The answer of a stream whose parts are still on the other thread. */
export type StreamHead = Omit<Answer, 'body'> & { readonly body: Pick<AnswerStream, 'total'> };
