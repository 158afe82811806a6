import type { Severity } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { contentId } from '../traces/ids.ts';
import { attributesJson, STATUS_ERROR } from '../traces/span-rows.ts';
import { countOf, cudaSources, plainRow, type Row, sourceNames, textOf } from './format.ts';
import type { Machines } from './machines.ts';

const MAX_NS = 2n ** 63n - 1n;
const INTERNAL = 1;
const mappedColumns: ReadonlySet<string> = new Set([
  'timestamp',
  'duration',
  'node',
  'rank',
  'local_rank',
  'world_size',
  'comm',
  'cgroup_id',
  'pid',
  'op',
  'source',
  'stack_hash',
]);

/** Operations that are events, however long they took; everything else without a duration is a `process_event`. */
const lifecycle: Readonly<Record<string, readonly [EventType, Severity]>> = {
  oom_kill: ['out_of_memory', 'critical'],
  pod_oom_kill: ['pod_oom_killed', 'critical'],
  pod_eviction: ['pod_evicted', 'high'],
  pod_restart: ['pod_failed', 'medium'],
  process_exec: ['process_event', 'low'],
  process_exit: ['process_event', 'low'],
  process_fork: ['process_event', 'low'],
};

interface OpenSpan {
  readonly id: bigint;
  readonly root: bigint;
  readonly end: bigint;
}

/** Turns the `events` table into spans and events. Rows must come in the order of their times. */
export class EventAppender {
  readonly operations = new Map<string, string>();
  readonly sources = new Map<string, string>(Object.entries(sourceNames));
  readonly stacks = new Map<string, unknown>();
  private readonly machines: Machines;
  private readonly open = new Map<string, OpenSpan[]>();

  constructor(machines: Machines) {
    this.machines = machines;
  }

  nameOf(source: unknown, op: unknown): { readonly source: string; readonly operation: string } {
    const from = this.sources.get(textOf(source)) ?? `source ${textOf(source)}`;
    return {
      source: from,
      operation: this.operations.get(`${textOf(source)}/${textOf(op)}`) ?? `${from} op ${textOf(op)}`,
    };
  }

  /** @throws ProblemError ingero.event */
  append(builder: BatchBuilder, row: Row): void {
    const start = countOf(row['timestamp']) || fail('ingero.event', 'event without a time');
    const duration = countOf(row['duration']) ?? fail('ingero.event', 'the duration is no number of nanoseconds');
    if (start + duration > MAX_NS) fail('ingero.event', 'the time is out of range');
    const { source, operation } = this.nameOf(row['source'], row['op']);
    const attributes = this.attributes(row, source);
    if (duration === 0n || operation in lifecycle) this.event(builder, row, operation, start, attributes);
    else this.span(builder, row, { source, operation, start, end: start + duration, attributes });
  }

  private event(builder: BatchBuilder, row: Row, operation: string, time_ns: bigint, attributes: Row): void {
    const [type, severity] = Object.hasOwn(lifecycle, operation)
      ? lifecycle[operation]!
      : (['process_event', 'low'] as const);
    const { owner } = this.machines.place(builder, row);
    const name = this.machines.processNames.get(textOf(row['pid']));
    appendEvent(builder, {
      entity: owner,
      time_ns,
      type,
      severity,
      message: `${operation}${name ? ` (${name}, pid ${textOf(row['pid'])})` : ` (pid ${textOf(row['pid'])})`}`,
      origin: 'ingero',
      original_id: textOf(row['id']),
      attributes: { operation, ...attributes },
      raw: attributesJson(plainRow(row)),
    });
  }

  private span(
    builder: BatchBuilder,
    row: Row,
    what: { source: string; operation: string; start: bigint; end: bigint; attributes: Row },
  ): void {
    const { start, end } = what;
    const thread = `${textOf(row['node'])}\n${textOf(row['pid'])}\n${textOf(row['tid'])}`;
    const id = contentId(`${thread}\n${textOf(row['id'])}\n${start}\n${end}\n${what.operation}`);
    const parent = this.around(thread, start, end);
    const root = parent?.root ?? id;
    const { owner, resource } = this.machines.place(builder, row);
    const failed = cudaSources.has(what.source) && (row['ret_code'] ?? 0n) !== 0n;
    builder.table('span').push({
      trace_hi: contentId(thread),
      trace_lo: root,
      span_id: id,
      parent_id: parent?.id ?? 0n,
      start_ns: start,
      end_ns: end,
      name: builder.name(what.operation),
      service: owner,
      resource,
      scope: builder.name(`ingero ${what.source}`),
      kind: INTERNAL,
      status: failed ? STATUS_ERROR : 0,
      flags: 0,
      trace_state: '',
      status_message: failed ? `CUDA error ${textOf(row['ret_code'])}` : '',
      attributes: attributesJson(what.attributes),
      dropped: 0,
    });
    const open = this.open.get(thread);
    if (open) open.push({ id, root, end });
    else this.open.set(thread, [{ id, root, end }]);
  }

  /** The call that this one happened inside of, on the same thread: the runtime calls the driver, the driver waits. */
  private around(thread: string, start: bigint, end: bigint): OpenSpan | undefined {
    const open = this.open.get(thread);
    if (!open) return undefined;
    while (open.length > 0 && open.at(-1)!.end <= start) open.pop();
    // Overlapping spans bury others; those that are buried deep are over.
    if (open.length > 1_000) open.splice(0, 500);
    return open.findLast((one) => one.end >= end);
  }

  private attributes(row: Row, source: string): Row {
    const rest = Object.entries(plainRow(row)).filter(([key]) => !mappedColumns.has(key));
    const stack = this.stacks.get(textOf(row['stack_hash']));
    return { source, ...Object.fromEntries(rest), ...(stack === undefined ? {} : { stack }) };
  }
}

/** `[{"s":"cudaMalloc+0x1cb","f":"libcudart.so.12"}]` as `cudaMalloc+0x1cb (libcudart.so.12)`, innermost first. */
export function framesOf(row: Row, parsed: (value: unknown) => unknown): unknown {
  const frames = parsed(row['frames']) ?? parsed(row['ips']);
  if (!Array.isArray(frames)) return undefined;
  return frames.slice(0, 128).map((frame: unknown) => {
    if (typeof frame !== 'object' || frame === null) return String(frame);
    const { s, i, f } = frame as { readonly s?: unknown; readonly i?: unknown; readonly f?: unknown };
    return `${textOf(s) || textOf(i)}${textOf(f) && ` (${textOf(f)})`}`;
  });
}
