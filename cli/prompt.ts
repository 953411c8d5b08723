// Asks a person on the terminal. What is asked goes to standard error, and a secret is not shown while it is typed.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as textFrom } from 'node:stream/consumers';
import { WrongUsage } from './outcome.ts';

const NOWHERE = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Whether there is somebody to ask. */
export const canAsk = () => process.stdin.isTTY === true;

/**
 * @returns what was typed, without white space around it.
 * @throws {WrongUsage} when the input ends instead.
 */
export async function ask(question: string, signal: AbortSignal, is_secret = false): Promise<string> {
  const output = is_secret ? NOWHERE() : process.stderr;
  const input = createInterface({ input: process.stdin, output, terminal: true });
  // The terminal is raw while it is read from: Ctrl-C arrives as a key.
  input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let is_over = false;
  const ended = new Promise<never>((_, reject) => {
    input.once('close', () => {
      if (!is_over && !is_secret) process.stderr.write('\n');
      reject(new WrongUsage('Nothing was typed.'));
    });
  });
  try {
    if (is_secret) process.stderr.write(question);
    return (await Promise.race([input.question(is_secret ? '' : question, { signal }), ended])).trim();
  } finally {
    is_over = true;
    input.close();
    if (is_secret) process.stderr.write('\n');
  }
}

/** What is piped in, without white space around it. */
export async function piped(): Promise<string> {
  return (await textFrom(process.stdin)).trim();
}
