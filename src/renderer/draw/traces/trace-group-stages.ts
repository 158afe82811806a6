import type { TraceGroup } from '../../../model/contract/index.ts';
import type { Places } from './trace-group-scale.ts';
import { isFailed, serviceOf } from './trace-group-text.ts';

export type StageBy = 'service' | 'trace';

/** Shares of the width of the whole trace group. */
export interface StagePiece {
  readonly left: number;
  readonly width: number;
}

export interface Stage {
  readonly title: string;
  /** Index of its colour. */
  readonly series: number;
  readonly spans: number;
  readonly errors: number;
  /** null: not recorded. For a trace, the service of its first span. */
  readonly service: string | null;
  readonly start_ns: number;
  readonly until_ns: number;
  /** Its time on the critical path, and the wait of the critical path right before it. */
  readonly path_ns: number;
  readonly wait_ns: number;
  /** When any of its spans ran. */
  readonly busy: readonly StagePiece[];
}

/** A part of the critical path within one stage; `stage` is -1 for a wait. */
export interface PipelinePiece extends StagePiece {
  readonly stage: number;
  readonly from_ns: number;
  readonly until_ns: number;
}

export interface Pipeline {
  /** In order of their start. */
  readonly stages: readonly Stage[];
  readonly pieces: readonly PipelinePiece[];
}

/** Resolution of busy times: this many steps per width. */
const GRAIN = 600;

/** Groups the spans of a trace group into stages, with the work and the waits of the critical path in each. */
export function pipelineOf(traceGroup: TraceGroup, by: StageBy, places: Places): Pipeline {
  const stageOf = by === 'service' ? stageByService(traceGroup) : (span: number) => traceGroup.trace[span]!;
  const share = (ns: number): number => (places.of(ns) - places.from) / (places.until - places.from);
  const found = new Map<number, Growing>();
  const title = (span: number): string =>
    by === 'service'
      ? serviceOf(traceGroup, span)
      : `${serviceOf(traceGroup, span)} …${traceGroup.traces[traceGroup.trace[span]!]?.trace_id.slice(-6)}`;
  for (let span = 0; span < traceGroup.trace.length; span++) {
    const code = stageOf(span);
    const start_ns = traceGroup.start_ns[span]!;
    const stage = found.get(code) ?? {
      ...emptyStage(title(span), code, start_ns),
      service: traceGroup.services[traceGroup.service[span]!] ?? null,
      cells: new Uint8Array(GRAIN + 1),
    };
    const [from, until] = [share(start_ns), share(traceGroup.end_ns[span]!)];
    stage.cells.fill(1, Math.floor(from * GRAIN), Math.max(Math.ceil(until * GRAIN), Math.floor(from * GRAIN) + 1));
    stage.spans++;
    if (isFailed(traceGroup, span)) stage.errors++;
    stage.start_ns = Math.min(stage.start_ns, start_ns);
    stage.until_ns = Math.max(stage.until_ns, traceGroup.end_ns[span]!);
    found.set(code, stage);
  }
  const order = [...found].sort(([, a], [, b]) => a.start_ns - b.start_ns);
  const placeOf = new Map(order.map(([code], at) => [code, at]));
  const pieces = pathPieces(traceGroup, (span) => placeOf.get(stageOf(span)) ?? -1, share);
  const stages = order.map(([, { cells, ...stage }], at) => ({
    ...stage,
    busy: runsOf(cells),
    path_ns: sum(pieces.filter((piece) => piece.stage === at)),
    wait_ns: sum(pieces.filter((piece, nth) => piece.stage === -1 && pieces[nth + 1]?.stage === at)),
  }));
  return { stages, pieces };
}

const sum = (pieces: readonly PipelinePiece[]): number =>
  pieces.reduce((total, { from_ns, until_ns }) => total + until_ns - from_ns, 0);

interface Growing extends Stage {
  readonly cells: Uint8Array;
  spans: number;
  errors: number;
  start_ns: number;
  until_ns: number;
}

const emptyStage = (title: string, series: number, start_ns: number): Stage => ({
  title,
  series: Math.max(series, 0),
  spans: 0,
  errors: 0,
  service: null,
  start_ns,
  until_ns: start_ns,
  path_ns: 0,
  wait_ns: 0,
  busy: [],
});

const stageByService =
  ({ service }: TraceGroup) =>
  (span: number): number =>
    service[span]!;

/** Adjacent parts of one stage are merged. */
function pathPieces(
  traceGroup: TraceGroup,
  stageOf: (span: number) => number,
  share: (ns: number) => number,
): PipelinePiece[] {
  const pieces: { stage: number; from_ns: number; until_ns: number }[] = [];
  for (let at = 0; at < traceGroup.path_span.length; at++) {
    const stage = traceGroup.path_wait[at] === 1 ? -1 : stageOf(traceGroup.path_span[at]!);
    const last = pieces.at(-1);
    const until_ns = traceGroup.path_until_ns[at]!;
    if (last?.stage === stage) last.until_ns = until_ns;
    else pieces.push({ stage, from_ns: traceGroup.path_from_ns[at]!, until_ns });
  }
  return pieces.map((piece) => ({
    ...piece,
    left: share(piece.from_ns),
    width: share(piece.until_ns) - share(piece.from_ns),
  }));
}

function runsOf(cells: Uint8Array): StagePiece[] {
  const runs: StagePiece[] = [];
  for (let at = 0; at < GRAIN; at++) {
    if (!cells[at]) continue;
    let end = at;
    while (end < GRAIN && cells[end]) end++;
    runs.push({ left: at / GRAIN, width: (end - at) / GRAIN });
    at = end;
  }
  return runs;
}
