// OpenTelemetry traces: a span for each request, created when it is complete from what is measured anyway.
// Nothing is loaded unless `OTEL_…` variables enable traces. The exporter is a package that operators install
// in addition to the server.

import type { Context, Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Answered } from '../log.ts';
import { tracesWanted } from '../settings/config.ts';
import { VERSION } from '../version.ts';

/** Optional, because it is several times as large as the server itself. */
const SDK = '@opentelemetry/sdk-node';
const SERVICE = 'linecard';
const ERROR_STATUS = 500;
const SHUTDOWN_MILLISECONDS = 3_000;
const SAMPLED = 1;

type Api = typeof import('@opentelemetry/api');

export interface Traces {
  readonly answered: (answered: Answered) => string;
  close(): Promise<void>;
}

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

/** Starts the exporter, which reads its settings from the environment; `undefined` if it is not installed. */
async function startSdk(hasName: boolean, logger: Pick<Logger, 'warn'>): Promise<Sdk | undefined> {
  try {
    const { NodeSDK } = (await import(SDK)) as { NodeSDK: new (options: object) => Sdk };
    const sdk = new NodeSDK({ instrumentations: [], ...(hasName ? {} : { serviceName: SERVICE }) });
    sdk.start();
    return sdk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    logger.warn(
      `OTEL_ variables enable traces, but ${SDK} is not installed: run npm install ${SDK} where @linecard/server is installed. Nothing is traced, unless another SDK was loaded with --import.`,
    );
    return undefined;
  }
}

function spanOf(api: Api, tracer: Tracer, answered: Answered): string {
  const { method, route, status, milliseconds } = answered;
  const end = Date.now();
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route === undefined ? {} : { 'http.route': route }),
    'linecard.request_id': answered.request_id,
    'linecard.queue_ms': answered.queueMs,
    'linecard.store_ms': answered.storeMs,
    'linecard.write_ms': answered.writeMs,
  };
  const span = tracer.startSpan(
    route === undefined ? method : `${method} ${route}`,
    { kind: api.SpanKind.SERVER, startTime: end - milliseconds, attributes },
    contextOf(api, answered),
  );
  if (status >= ERROR_STATUS) span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end(end);
  const context = span.spanContext();
  const isSampled = (context.traceFlags & SAMPLED) === SAMPLED;
  return `00-${context.traceId}-${context.spanId}-${isSampled ? '01' : '00'}`;
}

function contextOf({ ROOT_CONTEXT, trace }: Api, { traceparent }: Answered): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

export async function startTraces(logger: Pick<Logger, 'warn'>): Promise<Traces | undefined> {
  const wanted = tracesWanted();
  if (wanted === undefined) return undefined;
  const api = await import('@opentelemetry/api');
  const sdk = await startSdk(wanted.hasName, logger);
  const tracer = api.trace.getTracer(SERVICE, VERSION);
  return {
    answered: (answered) => spanOf(api, tracer, answered),
    async close() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, SHUTDOWN_MILLISECONDS);
      // An unreachable collector must not prevent the process from stopping.
      await Promise.race([sdk?.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}
