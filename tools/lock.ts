// Adds packages for other platforms to package-lock.json. Native tools have one package per platform, but npm
// records only those that the registry answers for, and `npm ci` then rejects the lock on other machines. Run
// `npm run lock` after adding or updating packages.

import { readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  version?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
  [field: string]: unknown;
}

const LOCK = new URL('../package-lock.json', import.meta.url);
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const SYSTEMS = 'aix android darwin freebsd linux netbsd openbsd openharmony sunos win32'.split(' ');
const PROCESSORS = 'arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x x64'.split(' ');
const LIBRARIES: Record<string, string> = { gnu: 'glibc', musl: 'musl' };

/** The platform that the name of a package denotes, such as `binding-linux-arm64-musl`. */
function platform(name: string) {
  const words = name.split(/[-/]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = os[0] === 'linux' ? words.flatMap((word) => LIBRARIES[word] ?? []) : [];
  return { cpu, libc, os };
}

const lock = JSON.parse(readFileSync(LOCK, 'utf8')) as { packages: Record<string, Entry> };
const added: string[] = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    if (!EXACT.test(version) || places.some((place) => place in lock.packages)) continue;
    const { cpu, libc, os } = platform(name);
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu.length && { cpu }),
      ...(entry.dev && { dev: true }),
      ...(libc.length && { libc }),
      optional: true,
      ...(os.length && { os }),
    };
    added.push(`${name} ${version}`);
  }
}

const byPath = ([a]: [string, Entry], [b]: [string, Entry]) => a.localeCompare(b, 'en');
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  added.length ? `Added ${added.length} packages for other platforms.` : 'The lock names every platform.',
);
