// Traces of OpenTelemetry: a span for every request, made when it is over out of what is noted of it anyway.
// Nothing of them is loaded unless `OTEL_…` variables ask for them, and what exports them is a package that
// an operator installs beside the server.

import type { Context, Tracer } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Answered } from '../log.ts';
import { tracesWanted } from '../settings/config.ts';
import { VERSION } from '../version.ts';

/** Optional: it is several times as large as the server itself. */
const SDK = '@opentelemetry/sdk-node';
const SERVICE = 'linecard';
const ERROR_STATUS = 500;
const SHUTDOWN_MILLISECONDS = 3_000;
const SAMPLED = 1;

type Api = typeof import('@opentelemetry/api');

export interface Traces {
  /** Makes the span of a request; returns the `traceparent` that leads to it. */
  readonly answered: (answered: Answered) => string;
  /** Sends what is left. */
  close(): Promise<void>;
}

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

/**
 * Starts the exporter, which takes its settings from the environment itself; `undefined` where it is not
 * there.
 */
async function startSdk(hasName: boolean, logger: Pick<Logger, 'warn'>): Promise<Sdk | undefined> {
  try {
    const { NodeSDK } = (await import(SDK)) as { NodeSDK: new (options: object) => Sdk };
    const sdk = new NodeSDK({ instrumentations: [], ...(hasName ? {} : { serviceName: SERVICE }) });
    sdk.start();
    return sdk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    logger.warn(
      `OTEL_ variables ask for traces, but ${SDK} is not installed: npm install ${SDK} beside @linecard/server. Nothing is traced, unless --import has loaded something else.`,
    );
    return undefined;
  }
}

/** Makes the span of a request that is over; returns its `traceparent`. */
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
  const made = span.spanContext();
  const isSampled = (made.traceFlags & SAMPLED) === SAMPLED;
  return `00-${made.traceId}-${made.spanId}-${isSampled ? '01' : '00'}`;
}

/** The trace that a request came with. */
function contextOf({ ROOT_CONTEXT, trace }: Api, { traceparent }: Answered): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Begins to trace where the environment asks for it; `undefined` where it does not. */
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
      // A collector that is away keeps nobody from stopping.
      await Promise.race([sdk?.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}
