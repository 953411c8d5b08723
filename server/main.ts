// Runs the program that linecard-server.cjs starts.

// Commander's `require('process')` reads every enumerable property. Reading this one opens standard input and
// makes a pipe that is shared with other programs non-blocking for them as well.
Object.defineProperty(process, 'stdin', { enumerable: false });

const { run } = await import('./program.ts');
await run(process.argv.slice(2));
