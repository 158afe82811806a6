import { expect, test } from 'vitest';
import { readTraceGroup } from '../../src/core/api/traces/trace-group.ts';
import { contract, spanMarks, type TraceGroupAnswer } from '../../src/model/contract/index.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { type DrawnSpan, parseTraceDrawing } from '../support/drawn-trace-group.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

const MAINTENANCE = `
  monitor detect     <------>                                    #detect
    monitor ->write    <--!
  ---
  quarantine cordon           <---->                             #cordon ^detect
  ---
  drainer reconcile                       <------------>
    drainer evict                           <------->            #evict ^cordon
  ---
  other unrelated       <---->
`;

const traceLow = (trace: number): bigint => 0xa000n + BigInt(trace);
const traceId = (trace: number): string => `${'1'.padStart(16, '0')}${traceLow(trace).toString(16).padStart(16, '0')}`;

/** Enters a drawing as an importer would. */
function record(recording: Recording, drawing: string): readonly DrawnSpan[] {
  const spans = parseTraceDrawing(drawing);
  const { builder } = recording;
  const traceOf = new Map(spans.map(({ id, trace }) => [id, trace]));
  for (const span of spans) {
    const { trace, id, parent, service, name, kind, failed, from_ms, until_ms, links } = span;
    const of = { trace_hi: 1n, trace_lo: traceLow(trace), span_id: id };
    builder.table('span').push({
      ...of,
      parent_id: parent,
      start_ns: atSecond(from_ms / 1000),
      end_ns: atSecond(until_ms / 1000),
      name: builder.name(name),
      service: builder.entity('service', service),
      resource: -1,
      scope: -1,
      kind,
      status: failed ? 2 : 0,
      flags: 0,
      trace_state: '',
      status_message: '',
      attributes: '',
      dropped: 0,
    });
    for (const linked of links)
      builder.table('span_link').push({
        ...of,
        linked_trace_hi: 1n,
        linked_trace_lo: traceLow(traceOf.get(linked) ?? 77),
        linked_span_id: linked,
        trace_state: '',
        attributes: '',
      });
  }
  return spans;
}

const readGroup = (session: Session, input: object): Promise<TraceGroupAnswer> =>
  readTraceGroup({ own: session, second: session }, contract['trace.story'].input.parse(input));
const labels = ({ services, names, service, name }: TraceGroupAnswer): string[] =>
  Array.from(service, (code, at) => `${services[code]} ${names[name[at]!]}`);

test.each([0, 1, 2])('the linked traces are one trace group, whichever of them (%d) is asked for', async (trace) => {
  const session = await recordedCase((recording) => void record(recording, MAINTENANCE));
  const traceGroup = await readGroup(session, { trace_id: traceId(trace) });
  contract['trace.story'].output.parse(traceGroup);
  expect(traceGroup.traces.map(({ trace_id }) => trace_id)).toEqual([traceId(0), traceId(1), traceId(2)]);
  expect(labels(traceGroup)).toEqual([
    'monitor detect',
    'monitor ->write',
    'quarantine cordon',
    'drainer reconcile',
    'drainer evict',
  ]);
  expect(traceGroup.origin_ns).toBe(atSecond(0.021));
  expect([...traceGroup.link_from].map((at) => labels(traceGroup)[at])).toEqual([
    'monitor detect',
    'quarantine cordon',
  ]);
  expect([...traceGroup.status]).toEqual([0, 2, 0, 0, 0]);
  expect(new BigUint64Array(traceGroup.span_id.buffer)[2]).toBe(4n);
  const waits = Array.from(traceGroup.path_wait, (wait, at) =>
    wait ? (traceGroup.path_until_ns[at]! - traceGroup.path_from_ns[at]!) / 1e6 : 0,
  );
  expect(waits.filter((wait) => wait > 0)).toEqual([1, 6]);
  expect(traceGroup.marks[2]! & spanMarks.critical).toBe(spanMarks.critical);
  expect(traceGroup.cut).toEqual({
    traces: 0,
    spans: 0,
    events: false,
    links: false,
    logs: false,
    unrecorded_links: 0,
  });
});

test('without links it is one trace', async () => {
  const session = await recordedCase((recording) => void record(recording, MAINTENANCE));
  const group = await readGroup(session, { trace_id: traceId(1), follow_links: false });
  expect(labels(group)).toEqual(['quarantine cordon']);
});

test('too many traces and spans are cut and counted; a link to an unrecorded trace is reported', async () => {
  const session = await recordedCase(
    (recording) => void record(recording, `${MAINTENANCE}\n  ---\n  lost cause       <-->  ^nobody`),
  );
  const few = await readGroup(session, { trace_id: traceId(1), most_traces: 1 });
  expect(few.traces.map(({ trace_id }) => trace_id)).toEqual([traceId(1)]);
  expect(few.cut).toMatchObject({ traces: 2, spans: 0 });
  const short = await readGroup(session, { trace_id: traceId(0), most_spans: 1 });
  expect(short.cut).toMatchObject({ traces: 1, spans: 1 });
  expect(short.traces[0]).toMatchObject({ spans: 1, left_out: 1 });
  expect((await readGroup(session, { trace_id: traceId(4) })).cut.unrecorded_links).toBe(1);
});

test('a trace that is not there is an empty trace group', async () => {
  const session = await recordedCase((recording) => void record(recording, MAINTENANCE));
  const group = await readGroup(session, { trace_id: 'ff' });
  contract['trace.story'].output.parse(group);
  expect(group).toMatchObject({ origin_ns: null, traces: [], names: [] });
  expect(group.path_span.length).toBe(0);
});

test('events and logs are at their spans; those without a span are left out or separate', async () => {
  const session = await recordedCase((recording) => {
    record(recording, MAINTENANCE);
    const { builder } = recording;
    const of = { trace_hi: 1n, trace_lo: traceLow(0) };
    for (const [span_id, second, name] of [
      [2n, 0.024, 'retry'],
      [1n, 0.022, 'seen'],
      [99n, 0.022, 'lost'],
    ] as const)
      builder
        .table('span_event')
        .push({ ...of, span_id, time_ns: atSecond(second), name: builder.name(name), attributes: '' });
    for (const [span_id, second] of [
      [1n, 0.023],
      [0n, 0.03],
      [1n, 500],
    ] as const)
      builder.table('log').push({
        ...of,
        span_id,
        time_ns: atSecond(second),
        observed_ns: atSecond(second),
        severity: 17,
        severity_text: -1,
        event_name: -1,
        resource: -1,
        scope: -1,
        flags: 0,
        body: 'x',
        attributes: '',
        dropped: 0,
      });
  });
  const group = await readGroup(session, { trace_id: traceId(0) });
  expect([...group.event_span]).toEqual([0, 1]);
  expect([...group.event_name].map((code) => group.event_names[code])).toEqual(['seen', 'retry']);
  expect([...group.event_ns]).toEqual([1e6, 3e6]);
  // Eight minutes later is out of range.
  expect([...group.log_span]).toEqual([0, -1]);
  expect([...group.log_severity]).toEqual([17, 17]);
  expect(group.log_refs[0]).toMatch(/^log:1\/\d+$/);
});
