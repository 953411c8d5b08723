#!/usr/bin/env node
// Starts `linecard`, or says in one sentence that this Node.js is too old. May import nothing that an older
// Node.js does not have.

const OLDEST = '22.12';

function canRun(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

const { node } = process.versions;
if (canRun(node)) await import('./start.ts');
else {
  process.stderr.write(
    `linecard: This is Node.js ${node}, and linecard needs ${OLDEST} or newer: install it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}
