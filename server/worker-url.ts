// The address of a worker thread's module.

/** `worker` beside a module, with its ending: TypeScript in the repository, JavaScript in the package. */
export function workerBeside(moduleUrl: string): URL {
  return new URL(`./worker${moduleUrl.slice(moduleUrl.lastIndexOf('.'))}`, moduleUrl);
}
