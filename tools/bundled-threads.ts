// Loaded into every process of a test run (`--import`): the threads that the product starts in it run bundles
// (bundles.ts), and load nothing else.

import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads, { isMainThread, Worker, type WorkerOptions } from 'node:worker_threads';
import { bundleOf } from '../test/kit/bundles.ts';

class BundledWorker extends Worker {
  constructor(given: string | URL, options?: WorkerOptions) {
    const source = given instanceof URL ? fileURLToPath(given) : given;
    const bundle = bundleOf(source);
    if (bundle === source) super(given, options);
    else super(pathToFileURL(bundle), { ...options, execArgv: [] });
  }
}

if (isMainThread) {
  Object.assign(workerThreads, { Worker: BundledWorker });
  syncBuiltinESMExports();
}
