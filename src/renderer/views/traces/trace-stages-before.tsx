import { useMemo } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { extentOf } from '../../draw/traces/trace-group-text.ts';
import { useCall } from '../../state/use-answer.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { StageComparison } from '../../widgets/stage-comparison.tsx';
import { messages } from './messages.ts';

/** Stages of the first trace against before. */
export function TraceStagesBefore({ traceGroup }: { readonly traceGroup: TraceGroup }) {
  const { origin_ns, traces } = traceGroup;
  const { from_ns, until_ns } = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const at = (ns: number): bigint => (origin_ns ?? 0n) + BigInt(Math.round(ns));
  const traceId = traces[0]?.trace_id;
  const { value, problem, retry } = useCall(
    'trace.stages',
    traceId === undefined || origin_ns === null
      ? null
      : { trace_id: traceId, start_ns: at(from_ns), end_ns: at(until_ns) },
  );
  if (problem) return <ProblemNote problem={problem} what={messages.stagesBefore.what} onRetry={retry} />;
  return value ? <StageComparison {...value} label={messages.stagesBefore.label} /> : null;
}
