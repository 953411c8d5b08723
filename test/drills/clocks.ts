// The clock of the machine is set forward and back, by an hour and by days, while a service answers:
// tokens, rate limits, waiting requests, imports and changes go on as they must. A deliverer is killed while
// its clock is ahead, and webhooks go on.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { stopProgram } from '../kit/program.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { openReceiver, testCertificate } from '../kit/webhook-receiver.ts';
import { type Drill, ofSize, Tally, tallies } from './drill.ts';

const HOUR_MS = 3_600_000;
/** From the true time, in hours; the last is the true time again. */
const STEPS = { short: [-1, 0], long: [1, -1, 24, -24, 0.02, -0.02, 24 * 29, -24 * 400, 0] };
const AHEAD = { short: [24], long: [1, 24, 24 * 29] };
/** A process looks at its clock a few times in it. */
const SEEN_MS = 150;
const LIMIT = 40;
const WAIT_SECONDS = 1;
/** What a request may take that waits for a second. */
const WAITED_MS = 4_000;
const LONGEST_RETRY_S = 60;
const REVOKED_MS = 5_000;

type Ask = (path: string, token: string, headers?: Record<string, string>) => Promise<Response>;

const CLOCK = pathToFileURL(join(import.meta.dirname, '..', 'kit', 'stepped-clock.ts')).href;

/** Uses up the limit of a token; whatever is refused must be told to come again within a minute. */
async function useUp(ask: Ask, token: string, tally: Tally): Promise<void> {
  for (let i = 0; i < LIMIT + 3; i++) {
    const { status, headers } = await ask(LIST, token);
    const seconds = Number(headers.get('retry-after') ?? 0);
    const isInTime = status === 200 || (status === 429 && seconds >= 1 && seconds <= LONGEST_RETRY_S);
    tally.add(isInTime ? undefined : `${status}, to come again in ${seconds} s`);
  }
}

async function waitForNews(ask: Ask, token: string, tally: Tally): Promise<void> {
  const etag = (await ask(LIST, token)).headers.get('etag') ?? '';
  const at = performance.now();
  const { status } = await ask(LIST, token, { prefer: `wait=${WAIT_SECONDS}`, 'if-none-match': etag });
  const ms = performance.now() - at;
  tally.add(status === 304 && ms < WAITED_MS ? undefined : `${status} after ${Math.round(ms)} ms`);
}

/** A deliverer that sends to an endpoint while its clock is ahead is killed, and the clock is right again. */
async function killedAhead(kind: StoreKind, hours: number): Promise<string | undefined> {
  const file = join(temporaryFolder(), 'offset');
  writeFileSync(file, '0');
  const lists = await DrillService.make({
    rows: { acme: 1 },
    kind,
    environment: {
      NODE_OPTIONS: `--import=${CLOCK}`,
      STEPPED_CLOCK: file,
      LINECARD_SIGNING_KEY: randomBytes(32).toString('base64'),
      LINECARD_DELIVER_ALLOW: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: testCertificate().file,
    },
  });
  let isSilent = true;
  const receiver = await openReceiver((response) => isSilent || response.writeHead(204).end());
  try {
    const url = `https://127.0.0.1:${receiver.port}/hook`;
    await lists.command('webhook', 'create', '--account', 'acme', '--url', url, '--events', 'changed');
    writeFileSync(file, String(hours * HOUR_MS));
    const killed = lists.start('deliver');
    await killed.says(/Webhooks are delivered/);
    await lists.import({ acme: 1 }, ' changed');
    await until('it is sent', () => receiver.received.length > 0);
    killed.child.kill('SIGKILL');
    await killed.ended;
    isSilent = false;
    writeFileSync(file, '0');
    // On a server the claim is by its clock, which was right.
    const isSound = kind.name !== 'SQLite';
    const { out } = await lists.run('doctor');
    const isNamed = /The claim of the webhook \w+ of acme is at/.test(out);
    if (isNamed === isSound) return `doctor says of the claim: ${out}`;
    if (isSound) return undefined;
    const running = lists.start('deliver');
    await until('it is sent again', () => receiver.received.length > 1);
    await stopProgram(running);
    return undefined;
  } finally {
    await receiver.close();
    await lists.remove();
  }
}

export const drill: Drill = {
  name: 'clocks',
  proves: [
    'With the clock set forward or back, every request gets its answer in time, waiting ones too. A token at its rate limit is accepted again within a minute, imports are visible immediately, and changes continue without a gap.',
    'A deliverer with a clock a day ahead that is killed while sending delays no webhook once the clock is right: its claim is void, and doctor names it. On PostgreSQL claims use the clock of the database.',
    'A token expires by the clock, and is valid again if the clock is set back; a revoked token is refused within five seconds, whatever the clock says.',
  ],

  async run(size, report) {
    const folder = temporaryFolder();
    const file = join(folder, 'offset');
    writeFileSync(file, '0');
    const lists = await DrillService.make({
      rows: { acme: 20, limited: 20 },
      environment: { NODE_OPTIONS: `--import=${CLOCK}`, STEPPED_CLOCK: file },
    });
    try {
      const { url } = await lists.serve('--rate-limit', String(LIMIT));
      const ask: Ask = async (path, token, headers = {}) => {
        const answer = await fetch(`${url}${path}`, { headers: { ...headers, authorization: token } });
        if (answer.status !== 304) await answer.clone().arrayBuffer();
        return answer;
      };
      const { limits, waits, imports, changes, tokens } = tallies(
        'limits',
        'waits',
        'imports',
        'changes',
        'tokens',
      );
      const dying = await lists.newToken('acme', Date.now() + HOUR_MS / 2);
      let since = '';
      for (const hours of ofSize(STEPS, size)) {
        writeFileSync(file, String(hours * HOUR_MS));
        await sleep(SEEN_MS);
        const { id, token: acme } = await lists.newToken('acme');
        await useUp(ask, lists.tokenOf('limited'), limits);
        await waitForNews(ask, acme, waits);

        const comment = ` at ${hours}`;
        await lists.import({ acme: 20, limited: 20 }, comment);
        const page = (await (await ask(LIST, acme)).json()) as { data: { comment: string }[] };
        imports.add(page.data.every((one) => one.comment.endsWith(comment)) ? undefined : 'an older page');
        const sinceOf = since === '' ? 'now' : since;
        const answer = await ask(`${LIST}/changes?page_size=1000&since=${sinceOf}`, acme);
        const news = (await answer.json()) as { since: string; data?: unknown[]; total?: number };
        // What is older than it is remembered may be gone; what is there is all of it.
        const isRight =
          answer.status === 410 || (answer.status === 200 && (since === '' || news.data?.length === 20));
        changes.add(isRight ? undefined : `${answer.status} with ${news.data?.length}`);
        if (answer.status === 410) {
          since = ((await (await ask(`${LIST}/changes?since=now`, acme)).json()) as { since: string }).since;
        } else since = news.since;

        const expected = hours * 60 >= 30 ? 401 : 200;
        const { status } = await ask(LIST, dying.token);
        tokens.add(status === expected ? undefined : `a token of 30 minutes was ${status} at ${hours} hours`);
        await lists.revoke(id);
        const revokedAt = performance.now();
        let begunAt = revokedAt;
        while ((await ask(LIST, acme)).status === 200 && begunAt < revokedAt + REVOKED_MS) {
          await sleep(100);
          begunAt = performance.now();
        }
        tokens.add(
          begunAt < revokedAt + REVOKED_MS ? undefined : `a revoked token was good at ${hours} hours`,
        );
        report(`at ${hours} hours from the true time`);
      }
      const killed = new Tally();
      for (const kind of size === 'short' ? stores.slice(0, 1) : stores)
        for (const hours of ofSize(AHEAD, size)) killed.add(await killedAhead(kind, hours));
      return [
        killed.result('deliverers that were killed while their clock was ahead'),
        limits.result('requests at a rate limit, after a step'),
        waits.result('requests that waited, after a step'),
        imports.result('imports looked at immediately, after a step'),
        changes.result('questions for changes across a step'),
        tokens.result('tokens that expired or were revoked'),
      ];
    } finally {
      await lists.remove();
    }
  },
};
