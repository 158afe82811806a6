import { useCallback, useEffect, useState } from 'react';
import type { Flame } from '../../../model/contract/index.ts';
import type { Problem } from '../../../model/problem.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import { useAnswer } from '../../state/use-answer.ts';

export interface FlameQuery {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly baseline: { readonly start_ns: bigint; readonly end_ns: bigint } | null;
}

/** How far the walk over all traces is that exact graphs are read from; once for a state of the case. */
export type FlameWalk =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'walking'; readonly done: number; readonly total: number }
  | { readonly kind: 'done' }
  /** The investigator is content with estimates. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly problem: Problem };

interface FlameAnswer {
  /** The newest there is: exact once the walk is done, or of a window that needs none. */
  readonly flame: Flame | undefined;
  readonly walk: FlameWalk;
  readonly problem: Problem | undefined;
  readonly slow: boolean;
  readonly retry: () => void;
  /** Of what has been walked nothing stays. */
  readonly stop: () => void;
  readonly walkOn: () => void;
}

/** The flame graph of a window: told from some of the traces at once, and from all as soon as they have been walked over. */
export function useFlame(query: FlameQuery, revision: number): FlameAnswer {
  const { start_ns, end_ns, baseline } = query;
  const key = `${revision} ${start_ns} ${end_ns} ${baseline?.start_ns} ${baseline?.end_ns}`;
  const quick = useAnswer(key, (signal) => client().call('traces.flameEstimate', query, signal));
  const needed = quick.value !== undefined && (quick.value === null || quick.value.share < 1);
  const { walk, stop, walkOn } = useWalk(revision, needed);
  const isReady = walk.kind === 'done';
  const exact = useAnswer(`${key} ${isReady}`, async (signal) =>
    isReady ? await client().call('traces.flame', query, signal) : null,
  );
  const answer = isReady ? exact : quick;
  const retry = () => {
    walkOn();
    answer.retry();
  };
  return {
    flame: (isReady ? exact.value : undefined) ?? quick.value ?? undefined,
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
  // Neither stopped nor failed any more, it is wanted again.
  const walkOn = useCallback(() => setState(undefined), []);
  return { walk, stop, walkOn };
}
