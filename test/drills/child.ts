// The process of one drill: what it breaks, leaks or hangs is its own. `child.ts NAME SIZE` sends lines and
// results to the process that has started it.

import { type DrillSize, drillNamed } from './drill.ts';

const [name = '', size = 'short'] = process.argv.slice(2);
const drill = await drillNamed(name);
const send = (message: object) => process.send?.(message);
const results = await drill.run(size as DrillSize, (line) => send({ line }));
process.send?.({ results }, () => process.exit(0));
