#!/usr/bin/env node
// Starts the program on a Node.js that can run it; on another it says so in one sentence. It must import
// nothing that an older Node.js does not know.

const OLDEST = 26;

// `require('process')`, as the parser of options has it, reads each enumerable member, and to read this one
// opens standard input: a pipe that other programs share then no longer blocks for them either.
Object.defineProperty(process, 'stdin', { enumerable: false });

if (Number(process.versions.node.split('.')[0]) >= OLDEST) await import('./program.ts');
else {
  process.stderr.write(
    `linecard-server: This is Node.js ${process.versions.node}, and Linecard needs ${OLDEST} or newer: install it from https://nodejs.org, or run linecard-server with another.\n`,
  );
  process.exitCode = 1;
}
