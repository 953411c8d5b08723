// Bundles what the tests start in processes and threads of its own: a thread that loads one file costs a
// third of one that loads the 150 modules that the file is made of. `import.meta` of a bundled module names
// its source.

import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
/** In the repository, so that packages are found from there. */
const FOLDER = join(ROOT, 'node_modules', '.cache');
const WORKER_URL = join(ROOT, 'server', 'worker-url.ts');
const ENTRIES = [
  'cli/start.ts',
  'server/main.ts',
  'test/kit/command-runner.ts',
  ...globSync('server/**/worker.ts', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }),
];

/** Packages stay where they are: only what is written here is bundled. */
function isOurs(id: string): boolean {
  const path = relative(ROOT, id);
  return !path.startsWith('..') && !path.includes('node_modules');
}

/** A module is where its source is, but the thread that it starts is bundled. */
function inPlace(into: string): Plugin {
  const [sources, bundles] = [ROOT, into].map((folder) => JSON.stringify(pathToFileURL(folder).href));
  return {
    name: 'in-place',
    async resolveId(name, importer) {
      if (importer === undefined || /^(?:[./]|node:|@linecard\/)/.test(name)) return null;
      const found = await this.resolve(name, importer, { skipSelf: true });
      return found === null || isOurs(found.id)
        ? found
        : { id: pathToFileURL(found.id).href, external: true };
    },
    transform(code, id) {
      if (id === WORKER_URL)
        return `export const workerUrl = (url) => new URL('worker.js', url.replace(${sources}, ${bundles}));`;
      if (!isOurs(id)) return null;
      return code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.filename', JSON.stringify(id));
    },
  };
}

/** Makes them in a new folder: `server/main.ts` is `server/main.js` there. */
export async function makeBundles(): Promise<{ readonly folder: string; remove(): void }> {
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(join(FOLDER, 'test-bundles-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  // One by one: with modules that several share, each would be split into hundreds of files again.
  for (const entry of ENTRIES) {
    const name = entry.replace(/\.ts$/, '');
    const bundle = await rolldown({
      input: { [name]: join(ROOT, entry) },
      platform: 'node',
      plugins: [inPlace(folder)],
    });
    await bundle.write({
      dir: folder,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}/[name]-[hash].js`,
    });
    await bundle.close();
  }
  return { folder, remove };
}
