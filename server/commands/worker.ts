// The thread of `serve --deliver` (deliver.ts): delivers webhooks until it is stopped.

import { parentPort, workerData } from 'node:worker_threads';
import { makeLog } from '../log.ts';
import { type DeliverSettings, startDeliverer } from './deliver.ts';

const settings = workerData as DeliverSettings;
// Its lines are between those of the request thread.
const log = await makeLog({ ...settings, workers: 2 });
const running = await startDeliverer(settings, log);

async function answer(message: 'metrics' | 'stop'): Promise<void> {
  if (message === 'metrics') return parentPort?.postMessage(await running.metrics());
  await running.stop();
  log.logger.flush();
  process.exit();
}

parentPort?.on('message', (message: 'metrics' | 'stop') => void answer(message));
