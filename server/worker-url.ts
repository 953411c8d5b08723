// The address of a worker thread's module: `worker` beside the module that starts it.

/** With the ending of that module: TypeScript in the repository, JavaScript where the package is installed. */
export function workerBeside(moduleUrl: string): URL {
  return new URL(`./worker${moduleUrl.slice(moduleUrl.lastIndexOf('.'))}`, moduleUrl);
}
