// Questions to a person on the terminal. They go to standard error, and a secret is not shown while it is
// typed.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as textFrom } from 'node:stream/consumers';
import { WrongUsage } from './outcome.ts';

const NOWHERE = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Whether a person can answer. */
export const canAsk = () => process.stdin.isTTY === true;

/**
 * @returns what was typed, without white space around it.
 * @throws {WrongUsage} when the input ends instead.
 */
export async function ask(question: string, signal: AbortSignal, isSecret = false): Promise<string> {
  const output = isSecret ? NOWHERE() : process.stderr;
  const input = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is raw while it is read from: Ctrl-C arrives as a key.
  input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let isOver = false;
  const ended = new Promise<never>((_, reject) => {
    input.once('close', () => {
      if (!isOver && !isSecret) process.stderr.write('\n');
      reject(new WrongUsage('Nothing was typed.'));
    });
  });
  try {
    if (isSecret) process.stderr.write(question);
    return (await Promise.race([input.question(isSecret ? '' : question, { signal }), ended])).trim();
  } finally {
    isOver = true;
    input.close();
    if (isSecret) process.stderr.write('\n');
  }
}

/** What is piped in, without white space around it. */
export async function piped(): Promise<string> {
  return (await textFrom(process.stdin)).trim();
}
