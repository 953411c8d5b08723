// Traces: nothing of them where nobody asks for them; where somebody does, a span for each request under the
// trace that it came with.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type Context,
  type SpanContext,
  type SpanOptions,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { startTraces } from '../../server/commands/traces.ts';
import type { Answered } from '../../server/log.ts';
import { tracesWanted } from '../../server/settings/config.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const ANSWERED: Answered = {
  request_id: 'r1',
  token_id: 't1',
  account_id: 'acme',
  problem: undefined,
  reason: undefined,
  client: undefined,
  peer: '192.0.2.7',
  method: 'GET',
  route: '/api/v1/did/me',
  status: 200,
  bytes: 10,
  milliseconds: 12,
  queueMs: 1,
  storeMs: 2,
  writeMs: 3,
  traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  isProbe: false,
};

const reported: unknown[] = [];
const logger = { warn: (sentence: unknown) => reported.push(sentence) } as never;

after(() => {
  delete process.env['OTEL_TRACES_EXPORTER'];
  trace.disable();
});

test('the environment asks for traces as OpenTelemetry says, and for none by default', async () => {
  assert.equal(tracesWanted({}), undefined);
  assert.deepEqual(tracesWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }), { hasName: false });
  assert.deepEqual(tracesWanted({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SERVICE_NAME: 'x' }), { hasName: true });
  assert.equal(
    tracesWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' }),
    undefined,
  );
  assert.equal(
    tracesWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_SDK_DISABLED: 'true' }),
    undefined,
  );
  assert.equal(await startTraces(logger), undefined);
});

test('a request is a span of the trace that it came with, or of its own, and its line leads there', async () => {
  const spans: {
    name: string;
    options: SpanOptions;
    parent: SpanContext | undefined;
    status?: number;
    end?: number;
  }[] = [];
  const provider = {
    getTracer: () => ({
      startSpan(name: string, options: SpanOptions, context: Context) {
        const made = { name, options, parent: trace.getSpanContext(context) };
        spans.push(made);
        const traceId = made.parent?.traceId ?? 'f'.repeat(32);
        return {
          setStatus: ({ code }: { code: number }) => Object.assign(made, { status: code }),
          end: (end: number) => Object.assign(made, { end }),
          spanContext: () => ({ traceId, spanId: 'a'.repeat(16), traceFlags: 1 }),
        };
      },
    }),
  };
  trace.setGlobalTracerProvider(provider as unknown as TracerProvider);
  process.env['OTEL_TRACES_EXPORTER'] = 'otlp';
  const traces = await startTraces(logger);
  assert.ok(traces);
  // What exports them is not a part of this repository.
  assert.match(String(reported[0]), /@opentelemetry\/sdk-node is not installed: run npm install/);
  assert.equal(traces.answered(ANSWERED), `00-${TRACE}-${'a'.repeat(16)}-01`);
  const own = traces.answered({ ...ANSWERED, route: undefined, status: 503, traceparent: undefined });
  assert.equal(own, `00-${'f'.repeat(32)}-${'a'.repeat(16)}-01`);
  const [first, second] = spans;
  assert.deepEqual(
    [first?.name, first?.parent?.traceId, first?.parent?.spanId, first?.status],
    ['GET /api/v1/did/me', TRACE, 'b7ad6b7169203331', undefined],
  );
  assert.equal(Number(first?.end) - Number(first?.options.startTime), ANSWERED.milliseconds);
  assert.deepEqual([second?.name, second?.parent, second?.status], ['GET', undefined, 2]);
  const text = JSON.stringify(spans);
  for (const secret of ['acme', '192.0.2.7', 't1"']) assert.equal(text.includes(secret), false, secret);
  await traces.close();
});
