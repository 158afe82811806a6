import type { Flame, Parsed } from '../../model/contract/index.ts';
import type { Session } from '../../model/engine.ts';
import {
  hasCallPaths,
  PATH_SLICE_NS,
  type PathSums,
  readPathSums,
  type SliceRange,
  type Walked,
  writeCallPaths,
} from '../store/call-paths.ts';
import type { OpenCase } from './open-case.ts';

/** The call paths of the cases that are open; those of one case are made once, whoever asks. */
export class CallPaths {
  private readonly making = new WeakMap<OpenCase, Promise<void>>();

  /** Makes the paths if they are missing or outdated, telling how far it is. */
  async *prepare(opened: OpenCase, signal?: AbortSignal): AsyncGenerator<Walked, void, void> {
    for (let other = this.making.get(opened); other; other = this.making.get(opened)) {
      yield { done: 0, total: 0 };
      await other;
      signal?.throwIfAborted();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.making.set(opened, promise);
    const session = await opened.stored.engine.session();
    try {
      if (!(await hasCallPaths(session))) yield* writeCallPaths(session, signal);
    } finally {
      session.close();
      this.making.delete(opened);
      resolve();
    }
  }

  async flame(opened: OpenCase, input: Parsed<'traces.flame'>, signal?: AbortSignal): Promise<Flame> {
    for await (const _ of this.prepare(opened, signal));
    return opened.withSession((session) => readFlame(session, input, signal));
  }
}

const slicesOf = ({ start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint }): SliceRange => ({
  first: start_ns / PATH_SLICE_NS,
  last: end_ns / PATH_SLICE_NS,
});

/** The time that whole slices take. */
const extentOf = ({ first, last }: SliceRange) => ({
  start_ns: first * PATH_SLICE_NS,
  end_ns: (last + 1n) * PATH_SLICE_NS,
});

async function readFlame(session: Session, input: Parsed<'traces.flame'>, signal?: AbortSignal): Promise<Flame> {
  const window = slicesOf(input);
  const baseline = input.baseline && slicesOf(input.baseline);
  const rows = await readPathSums(session, window, baseline, signal);
  const { kept, hidden, hidden_ms } = prune(withTimes(rows), input.min_share);
  const place = new Map(kept.map(({ row }, at) => [row.path, at]));
  const numbers = (of: (timed: Timed) => number) => Float64Array.from(kept, of);
  return {
    window: extentOf(window),
    baseline: baseline && extentOf(baseline),
    hidden,
    hidden_ms,
    parent: Int32Array.from(kept, ({ row }) => place.get(row.parent) ?? -1),
    depth: Int32Array.from(kept, ({ row }) => row.depth),
    is_other: Uint8Array.from(kept, ({ row }) => Number(row.is_other)),
    service: kept.map(({ row }) => row.service),
    name: kept.map(({ row }) => row.name),
    spans: numbers(({ row }) => row.spans),
    errors: numbers(({ row }) => row.errors),
    total_ms: numbers(({ row }) => row.total_ns / 1e6),
    self_ms: numbers(({ row }) => row.self_ns / 1e6),
    time_ms: numbers(({ time }) => time / 1e6),
    base_spans: numbers(({ row }) => row.base_spans),
    base_errors: numbers(({ row }) => row.base_errors),
    base_total_ms: numbers(({ row }) => row.base_total_ns / 1e6),
    base_self_ms: numbers(({ row }) => row.base_self_ns / 1e6),
    base_time_ms: numbers(({ base }) => base / 1e6),
  };
}

interface Timed {
  readonly row: PathSums;
  /** Self times of the path and of all below it, ns: what is beside each other never adds up to more than what is above it. */
  time: number;
  base: number;
}

/** Parents come first, so that a walk from the end adds children to what is complete. */
function withTimes(rows: readonly PathSums[]): Timed[] {
  const timed = rows.map((row): Timed => ({ row, time: row.self_ns, base: row.base_self_ns }));
  const byPath = new Map(timed.map((one) => [one.row.path, one]));
  for (const { row, time, base } of timed.toReversed()) {
    const parent = byPath.get(row.parent);
    if (!parent) continue;
    parent.time += time;
    parent.base += base;
  }
  return timed;
}

/** Leaves out what takes less than a share of all time, in the window as in the baseline; parents take more than children. */
function prune(timed: readonly Timed[], share: number) {
  const sum = (of: (one: Timed) => number): number => timed.reduce((all, one) => all + of(one), 0);
  const least = sum(({ row }) => row.self_ns) * share;
  const leastBase = sum(({ row }) => row.base_self_ns) * share;
  const isKept = ({ row, time, base }: Timed): boolean =>
    (row.spans > 0 || row.base_spans > 0 || time + base > 0) &&
    ((time > 0 && time >= least) || (base > 0 && base >= leastBase));
  const kept = timed.filter(isKept);
  const lost = timed.filter((one) => one.row.spans > 0 && !isKept(one));
  return { kept, hidden: lost.length, hidden_ms: lost.reduce((all, { row }) => all + row.self_ns, 0) / 1e6 };
}
