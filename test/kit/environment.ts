// The environment of a process that a test starts: nothing of what the tests themselves were started with but
// where programs are, and where what is compiled is cached, without which a start takes four times the
// processor. Requests wait for PostgreSQL as long as can be set: on a busy machine the default fails some.

import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'linecard-tests');

/** Node.js leaves a folder alone that it may not write. */
const { PATH = '', NODE_COMPILE_CACHE = CACHE } = process.env;

export const ENVIRONMENT = { PATH, NODE_COMPILE_CACHE, LINECARD_DATABASE_TIMEOUT: '60000' } as const;
