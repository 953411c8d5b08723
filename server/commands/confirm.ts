// A question before what cannot be taken back.

import { createInterface } from 'node:readline/promises';
import { WrongUsage } from '../errors.ts';

/** @throws {WrongUsage} when there is nobody to ask. */
export async function confirm(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true) {
    throw new WrongUsage('This asks first, and standard input is not a terminal: add --yes to do it.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
