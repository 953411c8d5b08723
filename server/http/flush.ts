// Answers that were read in one turn of the event loop leave one after the other, and not each as soon as it is there. A
// client that sleeps must be woken by the system for each answer; one that has just got another is still awake.

/** More than so many do not wait for each other: the first would have left the processor's caches by then. */
const TOGETHER = 8;

let waiting: (() => void)[] = [];

function leave(): void {
  const leaving = waiting;
  waiting = [];
  for (const go of leaving) go();
}

/** Resolves when this turn of the event loop ends, or as soon as enough others wait for that as well. */
export function turnEnd(): Promise<void> {
  return new Promise((resolve) => {
    const count = waiting.push(resolve);
    if (count === 1) setImmediate(leave);
    else if (count === TOGETHER) leave();
  });
}
