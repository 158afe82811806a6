import { onTestFinished } from 'vitest';
import { MechanismsInUse } from '../../src/core/api/cases/mechanisms-in-use.ts';
import { OpenCase } from '../../src/core/api/cases/open-case.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { appendEvent } from '../../src/main/sources/event-details/append-event.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { LogEvents } from '../../src/main/sources/log-events/log-events.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { type EntityKind, type Severity, severities } from '../../src/model/entity.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendEdge, appendSample } from '../../src/model/rows/records.ts';
import type { MetricName } from '../../src/model/telemetry/metric.ts';
import { type EdgeKind, edgeKinds } from '../../src/model/topology.ts';

const START_NS = 1_767_225_600_000_000_000n;
const at = (second: number | string): bigint => START_NS + BigInt(Math.round(Number(second) * 1e9));

/**
 * A case drawn as text, a row a line; times are seconds after 2026-01-01T00:00:00Z.
 *
 *     server:n1 contains gpu:G0                        a link
 *     10 gpu:G0 xid_error high kernel: Xid 79 {"xid":79}   an event: severity, reporter, message, attributes
 *     samples hw.gpu.clock.sm gpu:G0 every 10: 1980 900    from second 0; `from 600` after `every` begins later
 *     durations gpu.cuda.operation.duration gpu:G2 every 10: 500x12 500x60   a histogram: how many operations and their mean in us
 *     log 12 server:n1: No space left on device        a log record
 *     span 0..10 job:train ProfilerStep#1              a span; `version=2` after the entity states its service's version
 *     request 60..90 api -> pay: !!.                   each second a request whose calls fail (!) or not; `-> ?` records no callee
 *     collective dp 7 all_reduce: 0=10..10.5 1=10.4..10.5 2=11..   operation 7 of group dp: who entered and left it; ranks 0,1,2
 *     until 1200                                       the recording goes on to here
 */
export async function drawnCase(drawing: string): Promise<OpenCase> {
  const engine = await openNativeEngine(':memory:');
  const queries = { has: async () => false, add: async () => undefined };
  const stored = { engine, name: 'drawn', path: ':memory:' };
  const mechanisms = new MechanismsInUse(async () => null);
  const opened = await OpenCase.from(stored, { mechanisms, queries, readDetails, readPlaces });
  onTestFinished(() => opened.close());
  await opened.withSession(async (session) => {
    const source = { name: 'drawn', format: 'test', imported_at_ns: 0n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
    const writer = await SourceWriter.begin(session, source);
    const rows = new DrawnRows();
    for (const line of drawing.split('\n')) if (line.trim() !== '') rows.add(line.trim());
    await writer.append(rows.builder.finish(0));
    await writer.commit({ digest: '', bytes: 0 });
  });
  await opened.derive();
  return opened;
}

const ENTITY = '([a-z]+):(\\S+?)';
const forms: readonly (readonly [RegExp, (rows: DrawnRows, parts: string[]) => void])[] = [
  [new RegExp(`^${ENTITY} (${edgeKinds.join('|')}) ${ENTITY}$`), (rows, parts) => rows.edge(parts)],
  [
    new RegExp(`^samples (\\S+) ${ENTITY} every ([\\d.]+)(?: from ([\\d.]+))?: (.+)$`),
    (rows, parts) => rows.samples(parts),
  ],
  [new RegExp(`^durations (\\S+) ${ENTITY} every ([\\d.]+): (.+)$`), (rows, parts) => rows.durations(parts)],
  [new RegExp(`^log ([\\d.]+) ${ENTITY}: (.+)$`), (rows, parts) => rows.log(parts)],
  [new RegExp(`^span ([\\d.]+)\\.\\.([\\d.]+) ${ENTITY} (?:version=(\\S+) )?(.+)$`), (rows, parts) => rows.span(parts)],
  [/^request ([\d.]+)\.\.([\d.]+) (\S+) -> (\S+): ([!.]+)$/, (rows, parts) => rows.requests(parts)],
  [/^collective (\S+) (\d+) (\S+): (.+)$/, (rows, parts) => rows.collective(parts)],
  [/^until ([\d.]+)$/, (rows, [second = '']) => rows.log([second, '', '', 'the recording ends'])],
  [
    new RegExp(`^([\\d.]+) ${ENTITY} (\\w+) (${severities.join('|')}) (\\S+):(?: (.*?))??(?: (\\{.*\\}))?$`),
    (rows, parts) => rows.event(parts),
  ],
];

class DrawnRows {
  readonly builder = new BatchBuilder();
  private readonly logEvents = new LogEvents(this.builder);
  private spans = 0n;

  add(line: string): void {
    for (const [form, write] of forms) {
      const match = form.exec(line);
      if (match) return write(this, match.slice(1));
    }
    throw new Error(`not a row: ${line}`);
  }

  private entityNumber(kind = '', id = ''): number {
    return kind === '' ? -1 : this.builder.entity(kind as EntityKind, id);
  }

  private resource(entity: number, attributes: Readonly<Record<string, string>> = {}): number {
    return this.builder.resource({ entity, attributes: JSON.stringify(attributes), schema_url: '' });
  }

  edge([kind, id, edge, toKind, toId]: string[]): void {
    appendEdge(this.builder, {
      from: this.entityNumber(kind, id),
      kind: edge as EdgeKind,
      to: this.entityNumber(toKind, toId),
      provenance: 'drawn',
    });
  }

  event([second = '', kind, id, type = '', severity, origin = '', message = '', attributes = '{}']: string[]): void {
    appendEvent(this.builder, {
      entity: this.entityNumber(kind, id),
      time_ns: at(second),
      type: type as 'xid_error',
      severity: severity as Severity,
      message,
      origin,
      attributes: JSON.parse(attributes ?? '{}') as Record<string, unknown>,
    });
  }

  samples([metric = '', kind, id, every = '', from = '0', values = '']: string[]): void {
    const entity = this.entityNumber(kind, id);
    for (const [i, value] of values.trim().split(/\s+/).entries())
      appendSample(this.builder, {
        entity,
        metric: metric.includes('.') && metric.startsWith('hw.') ? (metric as MetricName) : { name: metric, unit: '1' },
        time_ns: at(Number(from ?? 0) + i * Number(every)),
        value: Number(value),
      });
  }

  durations([metric = '', kind, id, every = '', values = '']: string[]): void {
    const series = this.builder.series({
      metric,
      kind: 'histogram',
      entity: this.entityNumber(kind, id),
      resource: -1,
      unit: 'us',
      description: '',
      temporality: 1,
      monotonic: false,
      attributes: kind === 'rank' ? `{"rank":"${id?.replace(/^.*-/, '')}"}` : '',
    });
    for (const [i, value] of values.trim().split(/\s+/).entries()) {
      const [operations = 0, mean = 0] = value.split('x').map(Number);
      const time_ns = at(i * Number(every));
      const own = { series, start_ns: 0n, time_ns, count: operations, sum: operations * mean };
      this.builder.table('distribution').push({ ...own, min: Number.NaN, max: Number.NaN, detail: '' });
    }
  }

  log([second = '', kind, id, body = '']: string[]): void {
    const entity = this.entityNumber(kind, id);
    this.builder.table('log').push({
      time_ns: at(second),
      observed_ns: 0n,
      severity: 9,
      severity_text: -1,
      event_name: -1,
      resource: entity < 0 ? -1 : this.resource(entity),
      scope: -1,
      trace_hi: 0n,
      trace_lo: 0n,
      span_id: 0n,
      flags: 0,
      body,
      attributes: '',
      dropped: 0,
    });
    const machine = kind === 'server' ? entity : -1;
    const host = kind === 'server' ? (id ?? '') : '';
    const record = {
      time_ns: at(second),
      text: body,
      raw: body,
      gpu_uuid: '',
      writer: 'unknown' as const,
      origin: 'otlp',
    };
    this.logEvents.append({ ...record, host, machine, sender: entity });
  }

  span([from = '', to = '', kind, id, version, name = '']: string[]): void {
    const service = this.entityNumber(kind, id);
    this.push({ service, name, from, to, version, kind: 1 });
  }

  requests([from = '', to = '', caller, callee = '', calls = '']: string[]): void {
    const service = this.entityNumber('service', caller);
    for (let second = Number(from); second < Number(to); second++) {
      const parent = this.push({ service, name: 'GET /', from: second, to: second + 0.5, kind: 2 });
      for (const [i, call] of [...calls].entries()) {
        const start = second + 0.1 * (i / calls.length) * 4;
        const own = { from: start, to: start + 0.01, failed: call === '!' };
        const client = this.push({ ...own, service, name: 'call', kind: 3, under: parent });
        if (callee !== '?')
          this.push({ ...own, service: this.entityNumber('service', callee), name: 'answer', kind: 2, under: client });
      }
    }
  }

  private push(drawn: {
    readonly service: number;
    readonly name: string;
    readonly from: number | string;
    readonly to: number | string;
    readonly kind: number;
    readonly version?: string | undefined;
    readonly failed?: boolean;
    readonly under?: { readonly trace: bigint; readonly span: bigint };
  }): { readonly trace: bigint; readonly span: bigint } {
    const { service, name, from, to, kind, version, failed = false, under } = drawn;
    const span = ++this.spans;
    const trace = under?.trace ?? span;
    this.builder.table('span').push({
      trace_hi: trace,
      trace_lo: trace,
      span_id: span,
      parent_id: under?.span ?? 0n,
      start_ns: at(from),
      end_ns: at(to),
      name: this.builder.name(name),
      service,
      resource: this.resource(service, version ? { 'service.version': version } : {}),
      scope: -1,
      kind,
      status: failed ? 2 : 0,
      flags: 0,
      trace_state: '',
      status_message: '',
      attributes: '',
      dropped: 0,
    });
    return { trace, span };
  }

  collective([group = '', sequence = '', operation = '', entries = '']: string[]): void {
    const [text = '', ranks = ''] = entries.split('; ranks ');
    for (const entry of text.trim().split(/\s+/)) {
      const [, rank = '', entered = '', left = ''] = /^(\d+)=([\d.]+?)\.\.([\d.]*)$/.exec(entry) ?? [];
      this.builder.table('collective').push({
        rank: this.builder.entity('rank', `rank-${rank}`),
        group_id: this.builder.name(group),
        group_name: this.builder.name(group),
        group_ranks: ranks === '' ? -1 : this.builder.name(ranks),
        sequence: BigInt(sequence),
        p2p_sequence: -1n,
        operation: this.builder.name(operation),
        state: this.builder.name(left === '' ? 'started' : 'completed'),
        created_ns: at(entered),
        started_ns: at(entered),
        completed_ns: left === '' ? 0n : at(left),
        dtype: this.builder.name('float'),
        input_sizes: '[[1]]',
        output_sizes: '[[1]]',
        attributes: '',
      });
    }
  }
}
