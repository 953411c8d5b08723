#!/usr/bin/env node
// The command `linecard`: starts start.ts, or start.js where it is published, if this Node.js is recent
// enough, and says so in one sentence if it is not. Older versions load no TypeScript and parse no newer
// JavaScript, so this is plain CommonJS that any of them can run.

// biome-ignore-start lint/style/useNodejsImportProtocol: versions before 14.18 do not have it.
const { existsSync } = require('fs');
const { join } = require('path');
// biome-ignore-end lint/style/useNodejsImportProtocol: see above.
const { engines } = require('./package.json');

const numbers = (version) => version.split('.').map(Number);
const isSource = existsSync(join(__dirname, 'start.ts'));
// Only newer ones run TypeScript.
const needed = isSource ? '22.18' : engines.node.replace('>=', '');
const [major, minor] = numbers(process.versions.node);
const [leastMajor, leastMinor = 0] = numbers(needed);

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  process.stderr.write(
    `linecard: This is Node.js ${process.versions.node}, and linecard needs ${needed} or newer: install it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else void import(isSource ? './start.ts' : './start.js');
