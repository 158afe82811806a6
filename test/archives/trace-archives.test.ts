import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { nanosOf, ofKind, pulled, pullingCore, TestArchive } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T14:10:00Z');

/** A trace begins every ten seconds, and takes fifteen: it lies in several slices. Each has a span of two services. */
const traces = Array.from({ length: 80 }, (_, at) => ({
  id: (at + 1).toString(16).padStart(32, '0'),
  start_ns: from_ns - 60_000_000_000n + BigInt(at) * 10_000_000_000n,
  end_ns: from_ns - 45_000_000_000n + BigInt(at) * 10_000_000_000n,
}));
type Trace = (typeof traces)[number];
const overlapping = (from: bigint, until: bigint): Trace[] =>
  traces.filter(({ start_ns, end_ns }) => start_ns < until && end_ns >= from);

const spanIds = (at: number) =>
  ['gateway', 'llm'].map((service, i) => ({ service, id: (2 * at + i + 1).toString(16).padStart(16, '0') }));

/** As Tempo writes it: ids are base64, scopes are in batches. */
const tempoTrace = ({ id, start_ns, end_ns }: Trace) => ({
  batches: spanIds(Number(`0x${id}`)).map(({ service, id: span }) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: Buffer.from(id, 'hex').toString('base64'),
            spanId: Buffer.from(span, 'hex').toString('base64'),
            name: 'generate',
            kind: 'SPAN_KIND_SERVER',
            startTimeUnixNano: String(start_ns),
            endTimeUnixNano: String(end_ns),
          },
        ],
      },
    ],
  })),
});

function faulty(answer: (url: URL) => unknown): RequestListener {
  let at = 0;
  return (request, response) => {
    const fault = at++ % 20;
    const text = JSON.stringify(answer(new URL(request.url!, 'http://here')));
    if (fault === 3) response.writeHead(503, { 'retry-after': '0' }).end();
    else if (fault === 5) response.end(text.slice(0, text.length / 2));
    else response.end(text);
  };
}

const spans =
  'select count(*)::integer, count(distinct (trace_id, span_id))::integer, count(distinct service)::integer from spans';
const inWindow = overlapping(from_ns, until_ns).length;

test('Tempo: every trace of the window whole and once, however searches are cut', async () => {
  const searches: string[] = [];
  const archive = await new TestArchive(
    faulty(({ pathname, searchParams }) => {
      const [, id] = /^\/api\/traces\/(.+)$/.exec(pathname) ?? [];
      if (id !== undefined) return tempoTrace(traces.find((trace) => trace.id === id)!);
      searches.push(searchParams.get('q')!);
      const [start, end] = ['start', 'end'].map((name) => BigInt(searchParams.get(name)!) * 1_000_000_000n);
      const found = overlapping(start!, end!).slice(0, Number(searchParams.get('limit')));
      return { traces: found.map(({ id: traceID }) => ({ traceID, durationMs: 15_000 })), metrics: {} };
    }),
  ).begin();
  const core = await pullingCore();
  const plan = `kind: tempo\nurl: ${archive.url}\nmost_traces: 20\nrequests_per_s: 1000\n`;
  const events = await pulled(core, { plan, from_ns, until_ns, services: ['llm'], where: 'duration > 1s' });
  expect(ofKind(events, 'problem')).toEqual([]);
  expect(searches[0]).toBe('{ resource.service.name = "llm" } && ({ duration > 1s })');
  // Slices of 300 s hold 31 traces and more: they are cut.
  expect(ofKind(events, 'done')[0]?.pulled).toBeGreaterThan(2);
  expect(await sqlRows(core, spans)).toEqual([[2 * inWindow, 2 * inWindow, 2]]);
});

const jaegerTrace = ({ id, start_ns, end_ns }: Trace) => ({
  traceID: id,
  spans: spanIds(Number(`0x${id}`)).map(({ service, id: spanID }) => ({
    traceID: id,
    spanID,
    operationName: 'generate',
    references: [],
    startTime: Number(start_ns / 1000n),
    duration: Number((end_ns - start_ns) / 1000n),
    tags: [],
    logs: [],
    processID: service,
  })),
  processes: { gateway: { serviceName: 'gateway', tags: [] }, llm: { serviceName: 'llm', tags: [] } },
});

test('Jaeger: traces of two services, which are the same ones, are stored once, and not asked for again', async () => {
  const archive = await new TestArchive(
    faulty(({ pathname, searchParams }) => {
      const answer = (data: unknown) => ({ data, total: 0, limit: 0, offset: 0, errors: null });
      if (pathname === '/api/services') return answer(['llm', 'gateway']);
      const [start, end] = ['start', 'end'].map((name) => BigInt(searchParams.get(name)!) * 1000n);
      const found = traces.filter(({ start_ns }) => start_ns >= start! && start_ns <= end!);
      return answer(found.slice(0, Number(searchParams.get('limit'))).map(jaegerTrace));
    }),
  ).begin();
  const core = await pullingCore();
  const plan = `kind: jaeger\nurl: ${archive.url}\nrequests_per_s: 1000\n`;
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'problem')).toEqual([]);
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 4, failed: 0 }]);
  const [count] = await sqlRows(core, spans);
  expect(count).toEqual([120, 120, 2]);
  expect(ofKind(await pulled(core, { plan, from_ns, until_ns }), 'done')).toMatchObject([{ pulled: 0, failed: 0 }]);
});
