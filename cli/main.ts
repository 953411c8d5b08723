#!/usr/bin/env node
// Starts `linecard` on a Node.js that can run it; on another it says so in one sentence. It must import
// nothing that an older Node.js does not know.

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
