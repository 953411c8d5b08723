// `linecard virtual-numbers check` of a file with the numbers of the largest account, in another order: its
// memory, and its processor time next to a bare loop, which reads the same export and the same file, parses
// each line, and looks each number of the file up in a Map.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@linecard/client';
import { memoryOf } from '../test/kit/process-facts.ts';
import { type Deployment, ROOT } from './deployment.ts';
import { ratioText, type Verdict, verdictOf } from './goals.ts';
import { processorSeconds, type Running } from './running.ts';
import { count, mebibytes, median } from './table.ts';
import { largest } from './whole-list.ts';

const RUNS = 3;
const SAMPLE_MILLISECONDS = 20;
const MEBIBYTE = 1_048_576;
const MAX_MEBIBYTES = 200;
/** Times the bare loop. */
const MAX_TIMES = 1.5;
const CLI = join(ROOT, 'cli', 'start.ts');
const FIELDS = ['id', 'did', 'frequency', 'monthly'] as const;
/** A prime that no size of an account is a multiple of. */
const STEP = 611_953;

async function didsOf(client: Client): Promise<string[]> {
  const dids: string[] = [];
  for await (const { did } of await client.virtualNumbers.export({ fields: ['did'] })) dids.push(did);
  return dids;
}

async function bareCheck(url: string, token: string, path: string): Promise<void> {
  const file = await new Client({ url, token }).virtualNumbers.export({ fields: FIELDS });
  const items = new Map<string, object>();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of file.bytes()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const item = JSON.parse(line) as { did: string };
      items.set(item.did, item);
    }
  }
  let found = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, number = ''] = line.split(';');
    if (items.has(number)) found += 1;
  }
  console.log(found);
}

interface Cost {
  readonly seconds: number;
  readonly mebibytes: number;
}

async function costOf(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Cost> {
  const before = processorSeconds(process.pid).reaped;
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, memoryOf(child.pid ?? 0, 'most'));
  }, SAMPLE_MILLISECONDS);
  const [status] = (await once(child, 'exit')) as [number | null];
  clearInterval(watching);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}.`);
  return { seconds: processorSeconds(process.pid).reaped - before, mebibytes: most / MEBIBYTE };
}

export async function measureCheck(server: Running, deployment: Deployment): Promise<Verdict[]> {
  const { token } = largest(deployment);
  const folder = mkdtempSync(join(tmpdir(), 'linecard-bench-'));
  try {
    const path = join(folder, 'invoice.csv');
    const dids = await didsOf(new Client({ url: server.url, token }));
    const rows = dids.map((_, i) => `${i};${dids[(i * STEP) % dids.length]};Kunde ${i}\n`);
    writeFileSync(path, `Position;Rufnummer;Name\n${rows.join('')}`);
    const env = { LINECARD_URL: server.url, LINECARD_TOKEN: token, HOME: folder };
    const [own, bare]: [Cost[], Cost[]] = [[], []];
    for (let run = 0; run < RUNS; run++) {
      bare.push(await costOf([import.meta.filename, server.url, token, path], env));
      own.push(await costOf([CLI, 'virtual-numbers', 'check', path], env));
    }
    const seconds = (costs: readonly Cost[]) => median(costs.map((cost) => cost.seconds));
    const what = `check of ${count(dids.length)} numbers`;
    const times = verdictOf(
      `${what}, times a bare loop by processor`,
      seconds(own) / seconds(bare),
      'at most',
      MAX_TIMES,
      ratioText,
    );
    const details = `${seconds(own).toFixed(2)} s, ${seconds(bare).toFixed(2)} s`;
    const memory = Math.max(...own.map((cost) => cost.mebibytes));
    return [
      { ...times, measured: `${times.measured} (${details})` },
      verdictOf(`memory of a ${what}`, memory, 'under', MAX_MEBIBYTES, mebibytes),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [url = '', token = '', path = ''] = process.argv.slice(2);
  await bareCheck(url, token, path);
}
