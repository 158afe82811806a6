import type { Severity } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample } from '../../../model/rows/records.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { attributesJson } from '../traces/span-rows.ts';
import type { EventAppender } from './append-event.ts';
import { countOf, numberOf, parsed, plainRow, type Row, textOf } from './format.ts';
import type { Machines } from './machines.ts';

const MEBI = 1024 * 1024;
const SECOND = 1e-9;

type Measure = readonly [column: string, metric: MetricName | { name: string; unit: string }, factor: number];

/** Columns of `system_snapshots`; amounts of memory are MiB (from /proc/meminfo). */
const snapshotMeasures: readonly Measure[] = [
  ['cpu_pct', 'system.cpu.utilization', 1],
  ['mem_pct', { name: 'system.memory.utilization', unit: '%' }, 1],
  ['mem_avail', { name: 'system.memory.available', unit: 'By' }, MEBI],
  ['swap_mb', { name: 'system.swap.usage', unit: 'By' }, MEBI],
  ['load_avg', { name: 'system.cpu.load_average.1m', unit: '1' }, 1],
];
/** Columns of `event_aggregates`: what happened within a minute, most of which is not kept one by one. */
const aggregateMeasures: readonly Measure[] = [
  ['count', { name: 'ingero.operation.count', unit: '{operation}' }, 1],
  ['sum_dur', { name: 'ingero.operation.time', unit: 's' }, SECOND],
  ['max_dur', { name: 'ingero.operation.time.max', unit: 's' }, SECOND],
  ['sum_arg0', { name: 'ingero.operation.arg0', unit: '1' }, 1],
];
const schedulerMeasures: readonly Measure[] = [
  ['p99_off_cpu', { name: 'ingero.cgroup.off_cpu.p99', unit: 's' }, SECOND],
  ['total_off_cpu', { name: 'ingero.cgroup.off_cpu.time', unit: 's' }, SECOND],
  ['event_count', { name: 'ingero.cgroup.off_cpu.count', unit: '{event}' }, 1],
];

const severities: Readonly<Record<string, Severity>> = {
  CRITICAL: 'critical',
  HIGH: 'high',
  MEDIUM: 'medium',
  LOW: 'low',
};

/**
 * What Ingero concluded: an event on the machine with the chain as text.
 * @throws ProblemError ingero.chain
 */
export function appendChain(builder: BatchBuilder, machines: Machines, row: Row): void {
  const time_ns = countOf(row['detected_at']) || fail('ingero.chain', 'causal chain without a time');
  const { id: _id, detected_at: _at, severity, summary, recommendations, timeline, node, ...rest } = row;
  const facts = Object.entries(plainRow(rest)).filter(([, value]) => value !== 0);
  appendEvent(builder, {
    entity: machines.server(builder, textOf(node) || (machines.nodeAt(time_ns) ?? '')),
    time_ns,
    type: 'process_event',
    severity: severities[textOf(severity).toUpperCase()] ?? 'low',
    message: textOf(summary) || textOf(row['root_cause']),
    origin: 'ingero',
    original_id: textOf(row['id']),
    attributes: {
      ...Object.fromEntries(facts),
      recommendations: parsed(recommendations),
      chain: parsed(timeline),
    },
    raw: attributesJson(plainRow(row)),
  });
}

/** @throws ProblemError ingero.snapshot */
export function appendSnapshot(builder: BatchBuilder, machines: Machines, row: Row): void {
  const time_ns = countOf(row['timestamp']) || fail('ingero.snapshot', 'snapshot without a time');
  const node = textOf(row['node']) || machines.nodeAt(time_ns);
  if (node === undefined) builder.remark('snapshots of several machines do not name their machine');
  const entity = node === undefined ? -1 : machines.server(builder, node);
  measure(builder, entity, time_ns, row, snapshotMeasures);
}

/** @throws ProblemError ingero.aggregate */
export function appendAggregate(builder: BatchBuilder, machines: Machines, events: EventAppender, row: Row): void {
  const time_ns = countOf(row['bucket']) || fail('ingero.aggregate', 'aggregate without a time');
  const node = textOf(row['node']) || (machines.nodeAt(time_ns) ?? '');
  const pid = textOf(row['pid']);
  const entity =
    pid === '0' || pid === '' ? machines.server(builder, node) : machines.place(builder, { node, pid }).owner;
  measure(builder, entity, time_ns, row, aggregateMeasures, {
    ...events.nameOf(row['source'], row['op']),
    per: 'minute',
  });
}

/** @throws ProblemError ingero.schedule */
export function appendSchedule(builder: BatchBuilder, machines: Machines, row: Row): void {
  const time_ns = countOf(row['window_end']) || fail('ingero.schedule', 'scheduling window without an end');
  const node = textOf(row['node']) || (machines.nodeAt(time_ns) ?? '');
  const attributes = { cgroup: textOf(row['cgroup_id']) };
  measure(builder, machines.server(builder, node), time_ns, row, schedulerMeasures, attributes);
}

function measure(
  builder: BatchBuilder,
  entity: number,
  time_ns: bigint,
  row: Row,
  measures: readonly Measure[],
  attributes: Readonly<Record<string, unknown>> = {},
): void {
  for (const [column, metric, factor] of measures) {
    const value = numberOf(row[column]);
    if (value !== undefined) appendSample(builder, { entity, metric, time_ns, value: value * factor, attributes });
  }
}
