import type { Flame, Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import {
  hasCallPaths,
  PATH_SLICE_NS,
  type PathSums,
  readPathSums,
  type SliceRange,
  type Walked,
  writeCallPaths,
} from '../../store/facts/call-paths.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { estimatePathSums } from './flame-estimate.ts';

type FlameInput = Parsed<'traces.flame'>;

/** The call paths of the cases that are open; computed once per case. */
export class CallPaths {
  private readonly making = new WeakMap<OpenCase, Promise<void>>();

  /** Computes the paths if they are missing or outdated, with progress. */
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

  async flame(opened: OpenCase, input: FlameInput, signal?: AbortSignal): Promise<Flame> {
    for await (const _ of this.prepare(opened, signal));
    return opened.withSession((session) => readFlame(session, input, signal));
  }

  /** At once; null if the full paths are known, or if it would take long. */
  async estimate(opened: OpenCase, input: FlameInput, signal?: AbortSignal): Promise<Flame | null> {
    return opened.withSession(async (session) =>
      (await hasCallPaths(session)) ? null : estimateFlame(session, input, signal),
    );
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

const requestedSlices = ({ baseline, ...window }: FlameInput) => ({
  window: slicesOf(window),
  baseline: baseline && slicesOf(baseline),
});

async function readFlame(session: Session, input: FlameInput, signal?: AbortSignal): Promise<Flame> {
  const requested = requestedSlices(input);
  const { paths, whole } = await readPathSums(session, { ...requested, share: input.min_share }, signal);
  return flameOf(paths, { ...requested, ...whole, share: 1 });
}

async function estimateFlame(session: Session, input: FlameInput, signal?: AbortSignal): Promise<Flame | null> {
  const asked = requestedSlices(input);
  const found = await estimatePathSums(session, { ...asked, min_share: input.min_share }, signal);
  return found ? flameOf(found.paths, { ...asked, ...found.whole, share: found.share }) : null;
}

interface Whole {
  readonly window: SliceRange;
  readonly baseline: SliceRange | null;
  readonly share: number;
  readonly all_ns: number;
  readonly hidden: number;
  readonly hidden_ns: number;
}

function flameOf(paths: readonly PathSums[], whole: Whole): Flame {
  const place = new Map(paths.map(({ path }, at) => [path, at]));
  type Column =
    | 'spans'
    | 'errors'
    | 'total_ns'
    | 'self_ns'
    | 'time_ns'
    | `base_${'spans' | 'errors' | 'total_ns' | 'self_ns' | 'time_ns'}`;
  const numbers = (column: Column) => Float64Array.from(paths, (row) => row[column]);
  const lengths = (column: Column) => Float64Array.from(paths, (row) => row[column] / 1e6);
  return {
    window: extentOf(whole.window),
    baseline: whole.baseline && extentOf(whole.baseline),
    share: whole.share,
    all_ms: whole.all_ns / 1e6,
    hidden: whole.hidden,
    hidden_ms: whole.hidden_ns / 1e6,
    parent: Int32Array.from(paths, ({ parent }) => place.get(parent) ?? -1),
    depth: Int32Array.from(paths, ({ depth }) => depth),
    is_other: Uint8Array.from(paths, ({ is_other }) => Number(is_other)),
    service: paths.map(({ service }) => service),
    name: paths.map(({ name }) => name),
    spans: numbers('spans'),
    errors: numbers('errors'),
    total_ms: lengths('total_ns'),
    self_ms: lengths('self_ns'),
    time_ms: lengths('time_ns'),
    base_spans: numbers('base_spans'),
    base_errors: numbers('base_errors'),
    base_total_ms: lengths('base_total_ns'),
    base_self_ms: lengths('base_self_ns'),
    base_time_ms: lengths('base_time_ns'),
  };
}
