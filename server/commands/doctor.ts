// `linecard-server doctor`: checks what serving needs, and reports what is wrong and how to fix it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Failed } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { isPostgresUrl, openStore } from '../store/open.ts';
import type { ReplicaChange, Store } from '../store/store.ts';
import {
  descriptorFindings,
  type Finding,
  fileFindings,
  refusedFinding,
  replicaFindings,
  serverFindings,
  settingsFindings,
} from './doctor-checks.ts';
import { feedFindings, importFindings, logFindings } from './doctor-imports.ts';
import type { ListenSettings } from './listening.ts';
import { type StoreSettings, storeOptions } from './store-options.ts';

/** A person waits for it, and for no more than this. */
const PATIENCE_MILLISECONDS = 10_000;
/** In which a replica is checked more than once. */
const CHECKS_MILLISECONDS = 1_000;
const LOOK_EVERY_MILLISECONDS = 50;
const IMPORT_AGE_MILLISECONDS = 2 * 86_400_000;

type DoctorSettings = StoreSettings &
  ListenSettings &
  Pick<Settings, 'database_url' | 'demo' | 'rate_limit' | 'import_age' | 'json'>;

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
        : [{ check: 'database', status: 'ok', says: `${database_url} is open.` } as const];
      return [
        ...found,
        ...replicaFindings([...replicas.values()]),
        ...(await importFindings(store, settings.import_age ?? IMPORT_AGE_MILLISECONDS)),
        ...(await logFindings(store)),
        ...(await feedFindings(store)),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [refusedFinding(error)];
  }
}

function print({ check, status, says, mend }: Finding): void {
  const indent = ' '.repeat(20);
  const lines = [
    `${status.padEnd(6)}  ${check.padEnd(12)}${says}`,
    ...(mend === undefined ? [] : [indent + mend]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Prints what was found: a list for people, or a JSON object for programs.
 * @throws {Failed} when anything is wrong.
 */
export async function runDoctor(settings: DoctorSettings): Promise<void> {
  const findings = [
    { check: 'node', status: 'ok', says: `Node.js ${process.versions.node}.` } as const,
    ...settingsFindings(settings),
    ...descriptorFindings(),
    ...fileFindings(settings.database_url),
    ...(await databaseFindings(settings)),
  ];
  const faults = findings.filter(({ status }) => status === 'wrong').length;
  if (settings.json) process.stdout.write(`${JSON.stringify({ ok: faults === 0, findings })}\n`);
  else for (const finding of findings) print(finding);
  if (faults > 0) throw new Failed(faults === 1 ? 'One thing is wrong.' : `${faults} things are wrong.`);
}
