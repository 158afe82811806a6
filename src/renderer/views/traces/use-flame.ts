import { useCallback, useEffect, useState } from 'react';
import type { Flame } from '../../../model/contract/index.ts';
import type { Problem } from '../../../model/problem.ts';
import { problemOf } from '../../client/problem-of.ts';
import { useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { useCall } from '../../state/use-answer.ts';

export interface FlameQuery {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly baseline: { readonly start_ns: bigint; readonly end_ns: bigint } | null;
}

/** Progress of reading all traces for exact graphs; once per state of the case. */
export type FlameWalk =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'walking'; readonly done: number; readonly total: number }
  | { readonly kind: 'done' }
  /** The investigator accepts estimates. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly problem: Problem };

interface FlameAnswer {
  /** The newest graph: exact when all traces were read, or for a window that needs no reading. */
  readonly flame: Flame | undefined;
  readonly walk: FlameWalk;
  readonly problem: Problem | undefined;
  readonly slow: boolean;
  readonly retry: () => void;
  /** Discards what was read so far. */
  readonly stop: () => void;
  readonly walkOn: () => void;
}

/** The flame graph of a window: at once from a sample of the traces, and exact when all traces were read. */
export function useFlame(query: FlameQuery): FlameAnswer {
  const revision = useCase((state) => state.revision);
  const quick = useCall('traces.flameEstimate', query);
  const needed = quick.value !== undefined && (quick.value === null || quick.value.share < 1);
  const { walk, stop, walkOn } = useWalk(revision, needed);
  const isReady = walk.kind === 'done';
  const exact = useCall('traces.flame', isReady ? query : null);
  const answer = isReady ? exact : quick;
  const retry = () => {
    walkOn();
    answer.retry();
  };
  return {
    flame: exact.value ?? quick.value ?? undefined,
    walk,
    problem: answer.problem ?? (walk.kind === 'failed' ? walk.problem : undefined),
    slow: answer.slow,
    retry,
    stop,
    walkOn,
  };
}

function useWalk(revision: number, needed: boolean) {
  const [state, setState] = useState<{ readonly of: number; readonly walk: FlameWalk }>();
  const walk: FlameWalk = state?.of === revision ? state.walk : { kind: 'waiting' };
  const isOver = walk.kind === 'done' || walk.kind === 'stopped' || walk.kind === 'failed';
  const isWanted = needed && !isOver;
  useEffect(() => {
    if (!isWanted) return undefined;
    const leaving = new AbortController();
    const onWalk = (progress: FlameWalk) => {
      if (!leaving.signal.aborted) setState({ of: revision, walk: progress });
    };
    const run = async () => {
      for await (const { done, total } of client().stream('traces.prepare', {}, leaving.signal))
        onWalk({ kind: 'walking', done, total });
      onWalk({ kind: 'done' });
    };
    run().catch((error: unknown) => onWalk({ kind: 'failed', problem: problemOf(error) }));
    return () => leaving.abort();
  }, [revision, isWanted]);
  const stop = useCallback(() => setState({ of: revision, walk: { kind: 'stopped' } }), [revision]);
  // Clears the stopped or failed state, so that reading starts again.
  const walkOn = useCallback(() => setState(undefined), []);
  return { walk, stop, walkOn };
}
