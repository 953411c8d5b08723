// Requests through the proxy that the environment names; an error says so.

import * as http from 'node:http';
import { environmentOf, type NamedProxy, throughProxy, UnusableProxy } from '@linecard/client/client/proxy';
import { proxyOf } from './config.ts';
import { Failed } from './outcome.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Since Node.js 24.14; it has an effect on every later `fetch` of this process. */
const { setGlobalProxyFromEnv } = http as {
  readonly setGlobalProxyFromEnv?: (environment: Readonly<Record<string, string>>) => unknown;
};
const NEEDS = 'which needs Node.js 24.14 or newer';

/** @throws {Failed} where the environment names what is no proxy */
function proxyOrFailed(url: string): NamedProxy | undefined {
  try {
    return proxyOf(url);
  } catch (error) {
    throw error instanceof UnusableProxy ? new Failed(error.message, { cause: error }) : error;
  }
}

/**
 * What sends the requests of a command to its server.
 * @throws {Failed}
 */
export function fetchFrom(url: string): Fetch {
  const proxy = proxyOrFailed(url);
  if (proxy === undefined) return (...request) => fetch(...request);
  setGlobalProxyFromEnv?.(environmentOf(proxy));
  const shown = setGlobalProxyFromEnv === undefined ? `${proxy.shown}, ${NEEDS},` : proxy.shown;
  return async (...request) => {
    try {
      return await fetch(...request);
    } catch (error) {
      throw throughProxy({ ...proxy, shown }, error);
    }
  };
}
