// `linecard-server doctor`: checks what serving needs, and reports what is wrong and how to fix it.

import { setTimeout as sleep } from 'node:timers/promises';
import { visibleLines } from '@linecard/client/contract/printable';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import { listed } from '@linecard/client/contract/wording';
import { Failed, WrongUsage } from '../errors.ts';
import { fetchKeys, NoKeys } from '../http/jwt/key-source.ts';
import { FORWARDS_METRIC } from '../metrics/definitions.ts';
import type { Values } from '../settings/config.ts';
import { isPostgresUrl, openStore } from '../store/open.ts';
import type { ReplicaChange, Store } from '../store/store.ts';
import type { SERVE, SERVE_OPTIONS } from './command.ts';
import {
  advice,
  descriptorFindings,
  type Finding,
  fileFindings,
  ok,
  refusedFinding,
  replicaFindings,
  serverFindings,
  settingsFindings,
  wrong,
} from './doctor-checks.ts';
import {
  accountFindings,
  endingFindings,
  feedFindings,
  importFindings,
  logFindings,
  timeFindings,
  webhookFindings,
} from './doctor-imports.ts';
import { type IdentitySettings, identityOf, mustFitIdentity } from './identity.ts';
import type { ListenSettings } from './listening.ts';
import { count, printJson } from './print.ts';
import { storeOptions } from './store-options.ts';

/** A person waits for it, and for no more than this. */
const PATIENCE_MILLISECONDS = 10_000;
/** In which a replica is checked more than once. */
const CHECKS_MILLISECONDS = 1_000;
const LOOK_EVERY_MILLISECONDS = 50;
const METRICS_MILLISECONDS = 5_000;
const IMPORT_AGE_MILLISECONDS = 2 * 86_400_000;

type DoctorSettings = Pick<Values, (typeof SERVE | typeof SERVE_OPTIONS)[number] | 'import_age' | 'json'>;

/** One that has not replayed all there is yet lags only where it goes on to lack it. */
async function untilLagIsKnown(store: Store, maxLagMs: number): Promise<void> {
  const until = performance.now() + maxLagMs + CHECKS_MILLISECONDS;
  const isBehind = () =>
    store.figures?.().replicas.some(({ isHealthy, lagBytes }) => isHealthy && lagBytes !== 0) ?? false;
  while (isBehind() && performance.now() < until) await sleep(LOOK_EVERY_MILLISECONDS);
}

async function databaseFindings(settings: DoctorSettings): Promise<Finding[]> {
  const { database_url } = settings;
  const replicas = new Map<string, ReplicaChange>();
  const patient = {
    ...settings,
    database_timeout: Math.max(PATIENCE_MILLISECONDS, settings.database_timeout),
  };
  const { quick } = storeOptions(patient, (change) => replicas.set(change.replica, change));
  try {
    const store = await openStore(database_url, 'read', quick);
    try {
      await untilLagIsKnown(store, settings.replica_lag);
      const found = isPostgresUrl(database_url)
        ? await serverFindings(store)
        : [ok('database', `${database_url} is open.`)];
      return [
        ...found,
        ...replicaFindings([...replicas.values()]),
        ...(await importFindings(store, settings.import_age ?? IMPORT_AGE_MILLISECONDS)),
        ...(await logFindings(store)),
        ...(await feedFindings(store)),
        ...(await timeFindings(store)),
        ...(await accountFindings(store)),
        ...(await endingFindings(store)),
        ...(await webhookFindings(store, settings.signing_key)),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [refusedFinding(error)];
  }
}

/** How many untrusted forwards a running service has had; `undefined` if it does not say. */
async function untrustedForwards({
  metrics_host,
  metrics_port,
}: ListenSettings): Promise<number | undefined> {
  if (metrics_port === undefined) return undefined;
  const host = metrics_host.includes(':') ? `[${metrics_host}]` : metrics_host;
  try {
    const signal = AbortSignal.timeout(METRICS_MILLISECONDS);
    const text = await (await fetch(`http://${host}:${metrics_port}/metrics`, { signal })).text();
    const value = new RegExp(`^${FORWARDS_METRIC} (\\d+)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  } catch {
    return undefined;
  }
}

/** Whether the service finds out the addresses of clients where a proxy is in front. */
export async function proxyFinding(settings: ListenSettings): Promise<Finding> {
  const { socket, trust_proxy } = settings;
  const forwards = await untrustedForwards(settings);
  if (forwards !== undefined && forwards > 0) {
    const says = `${count(forwards)} requests named a client in X-Forwarded-For or Forwarded and came from no proxy that --trust-proxy names: all of one proxy count as one client.`;
    const mend =
      'Set --trust-proxy to the address of the proxy, which the log of serve shows, and have it send X-Forwarded-For. If no proxy is in front, clients sent these headers, and nothing is to be done.';
    return advice('proxy', says, mend);
  }
  const trusted = [...(socket === undefined ? [] : ['who uses the socket']), ...trust_proxy];
  if (trusted.length > 0) return ok('proxy', `X-Forwarded-For is trusted from ${listed(trusted)}.`);
  const where = forwards === 0 ? ' No request came through one yet.' : '';
  return ok(
    'proxy',
    `No proxy is trusted: behind one, all clients count as one address until --trust-proxy names it.${where}`,
  );
}

/**
 * Whether the settings of the identity provider fit together and its keys can be fetched; nothing if there
 * is none.
 */
async function identityFindings(settings: IdentitySettings): Promise<Finding[]> {
  try {
    mustFitIdentity(settings);
    const identity = identityOf(settings);
    if (identity === undefined) return [];
    const { url, jwks } = await fetchKeys(identity);
    const keys = jwks.keys.length === 1 ? 'One key' : `${jwks.keys.length} keys`;
    return [ok('identity', `${keys} of ${identity.issuer}, from ${url}.`)];
  } catch (error) {
    if (error instanceof WrongUsage)
      return [wrong('identity', error.message, 'linecard-server serve would not start.')];
    if (!(error instanceof NoKeys)) throw error;
    const mend =
      'Access tokens are refused until then; API tokens work. Check --jwt-issuer, or name the keys with --jwt-jwks-url.';
    return [wrong('identity', error.message, mend)];
  }
}

function print({ check, status, says, mend }: Finding): void {
  const advice = mend === undefined ? '' : `\n${' '.repeat(20)}${mend}`;
  process.stdout.write(`${visibleLines(`${status.padEnd(6)}  ${check.padEnd(12)}${says}${advice}`)}\n`);
}

/**
 * Prints what was found: a list for people, or a JSON object for programs.
 * @throws {Failed} when anything is wrong.
 */
export async function runDoctor(settings: DoctorSettings): Promise<void> {
  const all = [
    ok('node', `Node.js ${process.versions.node}.`),
    ...settingsFindings(settings),
    await proxyFinding(settings),
    ...(await identityFindings(settings)),
    ...descriptorFindings(),
    ...fileFindings(settings.database_url),
    ...(await databaseFindings(settings)),
  ];
  const findings = all.map(({ says, ...one }) => ({ ...one, says: withoutSecrets(says) }));
  const faults = findings.filter(({ status }) => status === 'wrong').length;
  if (settings.json) printJson({ ok: faults === 0, findings });
  else for (const finding of findings) print(finding);
  if (faults > 0) throw new Failed(faults === 1 ? 'One thing is wrong.' : `${faults} things are wrong.`);
}
