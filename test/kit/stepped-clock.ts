// Loaded into a process (`--import`): its clock is off by what a file says, in milliseconds, as where
// somebody sets the machine's clock. Monotonic clocks and timers are as they were.

import { readFileSync } from 'node:fs';

const FILE = process.env['STEPPED_CLOCK'] ?? '';
const LOOK_EVERY_MS = 20;

const RealDate = Date;
const now = Date.now;
let offsetMs = 0;

function look(): void {
  try {
    offsetMs = Number(readFileSync(FILE, 'utf8'));
  } catch {
    offsetMs = 0;
  }
}

class SteppedDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [SteppedDate.now()] : parts) as [number]));
  }

  static override now(): number {
    return now() + offsetMs;
  }
}

if (FILE !== '') {
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
  globalThis.Date = SteppedDate as DateConstructor;
}
