// The URL of a worker thread's module.

/** The URL of `worker` in the folder of a module, with the same extension: .ts here, .js in the package. */
export function workerUrl(moduleUrl: string): URL {
  return new URL(`./worker${moduleUrl.slice(moduleUrl.lastIndexOf('.'))}`, moduleUrl);
}
