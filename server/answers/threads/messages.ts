// The messages between the request thread and its worker threads. All of them can be cloned.

import type { Fault, ProblemCode } from '@linecard/client/contract/problems';
import type { StoreOptions } from '../../store/store.ts';
import type { ListName, OwnFields } from '../../store/tables.ts';
import type { Answer, AnswerStream } from '../answer.ts';
import type { EngineSettings, FoundPage } from '../engine.ts';
import type { Question } from '../question.ts';

export interface WorkerSettings extends EngineSettings {
  readonly databaseUrl: string;
  readonly options: StoreOptions;
  /** Whether the request thread takes precedence on a busy processor. */
  readonly hasLowPriority: boolean;
}

export interface QuestionTask {
  readonly question: Question;
  readonly found?: FoundPage | undefined;
  readonly timeMs?: number | undefined;
}

export interface IndexTask {
  readonly list: ListName;
  readonly own: OwnFields | undefined;
  readonly account_id: string;
  readonly maxBytes: number;
}

/**
 * To a worker thread: a task, or a buffer for the next chunk of a stream, which has the id of its question.
 */
export type WorkerRequest = { readonly id: number } & (
  | QuestionTask
  | IndexTask
  /** Reads what the metrics of imports are computed from. */
  | { readonly imports: true; readonly timeMs: number }
  | { readonly streamId: number; readonly buffer: ArrayBuffer }
);

export type WorkerMessage = WorkerRequest | { readonly closedStream: number };

export interface WorkerResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: CopiedError;
}

export interface CopiedError {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly problem?: {
    readonly code: ProblemCode;
    readonly faults: readonly Fault[] | undefined;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly isUnavailable: boolean;
  /** Whether the row guard rejected rows of another account. */
  readonly isForeign: boolean;
}

export type StreamHead = Omit<Answer, 'body'> & { readonly body: Pick<AnswerStream, 'total'> };
