#!/usr/bin/env node
// Starts the program if this Node.js is recent enough, or reports that it is not. It must not import anything
// that older versions of Node.js cannot load.

const MIN_NODE = 26;

// Commander's `require('process')` reads every enumerable property. Reading this one opens standard input and
// makes a pipe that is shared with other programs non-blocking for them as well.
Object.defineProperty(process, 'stdin', { enumerable: false });

if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) {
  const { run } = await import('./program.ts');
  await run(process.argv.slice(2));
} else {
  process.stderr.write(
    `linecard-server: This is Node.js ${process.versions.node}, and Linecard needs ${MIN_NODE} or newer: install it from https://nodejs.org, or run linecard-server with another version.\n`,
  );
  process.exitCode = 1;
}
