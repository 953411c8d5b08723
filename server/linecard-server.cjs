#!/usr/bin/env node
// The command `linecard-server`: starts main.ts, or main.js where it is published, if this Node.js is recent
// enough, and says so in one sentence if it is not. Older versions load no TypeScript and parse no newer
// JavaScript, so this is plain CommonJS that any of them can run.

// biome-ignore-start lint/style/useNodejsImportProtocol: versions before 14.18 do not have it.
const { existsSync } = require('fs');
const { join } = require('path');
// biome-ignore-end lint/style/useNodejsImportProtocol: see above.
const { engines } = require('./package.json');

const numbers = (version) => version.split('.').map(Number);
const needed = engines.node.replace('>=', '');
const [major, minor] = numbers(process.versions.node);
const [leastMajor, leastMinor = 0] = numbers(needed);

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  process.stderr.write(
    `linecard-server: This is Node.js ${process.versions.node}, and Linecard needs ${needed} or newer: install it from https://nodejs.org, or run linecard-server with another version.\n`,
  );
  process.exitCode = 1;
} else void import(existsSync(join(__dirname, 'main.ts')) ? './main.ts' : './main.js');
