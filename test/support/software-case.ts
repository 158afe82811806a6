import { onTestFinished } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';

export const START_NS = 1_767_225_600_000_000_000n;
export const atSecond = (second: number): bigint => START_NS + BigInt(Math.round(second * 1e9));

/** A case in memory, filled by hand. */
export async function recordedCase(fill: (recording: Recording) => void): Promise<Session> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'software');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  await addRecording(session, 's', fill);
  return session;
}

/** One more data source of a case. */
export async function addRecording(
  session: Session,
  name: string,
  fill: (recording: Recording) => void,
): Promise<void> {
  const source = { name, format: 'test', imported_at_ns: 0n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const writer = await SourceWriter.begin(session, source);
  const recording = new Recording();
  fill(recording);
  await writer.append(recording.builder.finish(0));
  await writer.commit({ digest: '', bytes: 0 });
}

export const softwareCase = async (fill: (recording: Recording) => void): Promise<Reader> =>
  createReader(await recordedCase(fill));

/** Evenly spread numbers in [0, 1) that are the same on every run. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface DrawnSpan {
  readonly depth: number;
  readonly service: string;
  readonly pod: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly failed: boolean;
}

/**
 * A trace as text, one span per line, indented below its parent: `service[@pod] name <----->`, one column per
 * millisecond, `!` instead of `>` for an error. A name that begins with `->` is a client span, others are server spans.
 */
function readDrawing(drawing: string): DrawnSpan[] {
  const lines = drawing.split('\n').filter((line) => line.trim() !== '');
  const margin = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => {
    const match = /^(\s*)([^\s@]+)(?:@(\S+))? +(.+?) *(<-*[>!])\s*$/.exec(line.slice(margin));
    if (!match) throw new Error(`not a span: ${line}`);
    const [, indent = '', service = '', pod = '', name = '', bar = ''] = match;
    const from = line.lastIndexOf('<');
    return { depth: indent.length / 2, service, pod, name, from, to: from + bar.length, failed: bar.endsWith('!') };
  });
}

export class Recording {
  readonly builder = new BatchBuilder();
  private spans = 0n;
  private readonly random = numbersFrom(7);

  /** The same request at many seconds, each a little slower or faster than drawn. */
  requests(seconds: readonly number[], drawing: string): void {
    const spans = readDrawing(drawing);
    for (const second of seconds) this.request(second, spans, 0.85 + 0.3 * this.random());
  }

  private request(second: number, spans: readonly DrawnSpan[], pace: number): void {
    const trace = ++this.spans;
    const parents: bigint[] = [];
    const origin = spans[0]?.from ?? 0;
    for (const { depth, service, pod, name, from, to, failed } of spans) {
      const id = ++this.spans;
      parents[depth] = id;
      const client = name.startsWith('->');
      this.builder.table('span').push({
        trace_hi: BigInt.asUintN(64, trace * 0x9e3779b97f4a7c15n),
        trace_lo: trace,
        span_id: id,
        parent_id: depth === 0 ? 0n : parents[depth - 1]!,
        start_ns: atSecond(second + ((from - origin) * pace) / 1000),
        end_ns: atSecond(second + ((to - origin) * pace) / 1000),
        name: this.builder.name(name),
        service: this.builder.entity('service', service),
        resource: this.resource(service, pod),
        scope: -1,
        kind: client ? 3 : 2,
        status: failed ? 2 : 0,
        flags: 0,
        trace_state: '',
        status_message: '',
        attributes: '',
        dropped: 0,
      });
    }
  }

  private resource(service: string, pod: string): number {
    const attributes = JSON.stringify({ 'service.name': service, ...(pod === '' ? {} : { 'k8s.pod.name': pod }) });
    return this.builder.resource({ entity: this.builder.entity('service', service), attributes, schema_url: '' });
  }

  log(second: number, service: string, body: string, severity = 9): void {
    const time_ns = atSecond(second);
    this.builder.table('log').push({
      time_ns,
      observed_ns: time_ns,
      severity,
      severity_text: -1,
      event_name: -1,
      resource: this.resource(service, ''),
      scope: -1,
      trace_hi: 0n,
      trace_lo: 0n,
      span_id: 0n,
      flags: 0,
      body,
      attributes: '',
      dropped: 0,
    });
  }

  /** A series of one service: `value` per second that it is asked for. */
  metric(
    name: string,
    { service, seconds, counter = false }: { service: string; seconds: readonly number[]; counter?: boolean },
    value: (second: number) => number,
  ): void {
    const series = this.builder.series({
      metric: name,
      kind: counter ? 'sum' : 'gauge',
      entity: this.builder.entity('service', service),
      resource: -1,
      unit: '',
      description: '',
      temporality: counter ? 2 : 0,
      monotonic: counter,
      attributes: '',
    });
    for (const second of seconds)
      this.builder.table('point').push({ series, start_ns: 0n, time_ns: atSecond(second), value: value(second) });
  }

  /** A histogram that collects `count` values of a mean at each second; cumulative, or one collection a point. */
  histogram(
    name: string,
    { service, seconds, cumulative }: { service: string; seconds: readonly number[]; cumulative: boolean },
    collected: (second: number) => { readonly count: number; readonly mean: number },
  ): void {
    const series = this.builder.series({
      metric: name,
      kind: 'histogram',
      entity: this.builder.entity('service', service),
      resource: -1,
      unit: 'ms',
      description: '',
      temporality: cumulative ? 2 : 1,
      monotonic: false,
      attributes: '',
    });
    const all = { count: 0, sum: 0 };
    for (const second of seconds) {
      const { count, mean } = collected(second);
      const before = cumulative ? all : { count: 0, sum: 0 };
      Object.assign(all, { count: before.count + count, sum: before.sum + count * mean });
      const times = { start_ns: 0n, time_ns: atSecond(second) };
      this.builder
        .table('distribution')
        .push({ series, ...times, ...all, min: Number.NaN, max: Number.NaN, detail: '{"bounds":[],"counts":[]}' });
    }
  }

  calls(caller: string, callee: string): void {
    this.builder.table('edge').push({
      from_entity: this.builder.entity('service', caller),
      kind: this.builder.name('calls'),
      to_entity: this.builder.entity('service', callee),
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: this.builder.name('test'),
    });
  }
}

/** Seconds from (inclusive) to (exclusive), so many apart. */
export const every = (step: number, from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => from + i * step);
