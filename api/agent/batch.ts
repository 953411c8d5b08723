// Calls of tools that came in one message: they run one after the other, and their results together have a
// limit.

import { MAX_TOOL_RESULTS_BYTES } from '../contract/contract.ts';
import { resultBytes } from './serve.ts';

/** Most messages of a batch, and the bytes that each has around its result, or for its error. */
export const MAX_BATCH_MESSAGES = 100;
const ENVELOPE_BYTES = 256;
const INVALID_REQUEST = -32_600;
const TOO_MUCH =
  'The results of this message have reached their limit: send this call in a message of its own.';

export class Batch {
  #last: Promise<unknown> = Promise.resolve();
  #bytes = MAX_TOOL_RESULTS_BYTES - MAX_BATCH_MESSAGES * ENVELOPE_BYTES;

  /**
   * Runs the work of a call after that of the calls before it, once `begin` has resolved. When the results
   * have reached their limit, no more is run.
   */
  run<T extends object>(work: () => T | Promise<T>, begin: () => Promise<void> = async () => {}): Promise<T> {
    const answer = this.#last.then(begin).then(async () => {
      const result = this.#bytes > 0 ? await work() : undefined;
      this.#bytes -= result === undefined ? 0 : resultBytes(result);
      if (result !== undefined && this.#bytes >= 0) return result;
      this.#bytes = 0;
      throw Object.assign(new Error(TOO_MUCH), { code: INVALID_REQUEST });
    });
    this.#last = answer.catch(() => {});
    return answer;
  }
}
