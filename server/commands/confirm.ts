// Asks for confirmation before an action that cannot be undone.

import { createInterface } from 'node:readline/promises';
import { WrongUsage } from '../errors.ts';

/** @throws {WrongUsage} if standard input is not a terminal. */
export async function confirm(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true) {
    throw new WrongUsage('This needs confirmation, and standard input is not a terminal: add --yes.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
