import type { Session } from '../../../model/storage/engine.ts';
import { type SummedPaths, sumPaths } from '../../analysis/trace/path-sums.ts';
import type { PathSums, SliceRange } from '../../store/facts/call-paths.ts';
import { readSampledSpans } from '../../store/facts/sampled-spans.ts';
import { readNames } from './trace-group-rows.ts';

interface EstimateRequest {
  readonly window: SliceRange;
  readonly baseline: SliceRange | null;
  /** Paths that take less of all time are left out. */
  readonly min_share: number;
}

/** Sums by call path estimated from a sample of traces; undefined: even a sample takes long. */
export async function estimatePathSums(
  session: Session,
  { window, baseline, min_share }: EstimateRequest,
  signal?: AbortSignal,
) {
  const sampled = await readSampledSpans(session, baseline ? [window, baseline] : [window], signal);
  if (!sampled) return undefined;
  const slices = ({ first, last }: SliceRange) => ({
    first: Number(first - window.first),
    last: Number(last - window.first),
  });
  const { share, scale } = sampled;
  const sums = sumPaths(sampled.columns, slices(window), baseline && slices(baseline));
  const { kept: shownNodes, hidden, all_ns } = widePaths(sums, min_share);
  const hidden_ns = hidden.reduce((all, at) => all + sums.window.self_ns[at]!, 0);
  return {
    share,
    paths: await named(session, sums, shownNodes, scale),
    whole: { all_ns: all_ns * scale, hidden: hidden.length, hidden_ns: hidden_ns * scale },
  };
}

const sumOf = (column: Float64Array): number => column.reduce((all, each) => all + each, 0);

/** Places of the paths that take a share of the window or of the baseline, and of others that the window has. */
function widePaths({ parent, window, baseline }: SummedPaths, min_share: number) {
  const [all_ns, base_ns] = [sumOf(window.self_ns), sumOf(baseline.self_ns)];
  const isWide = (time: number, all: number): boolean => time > 0 && time >= all * min_share;
  const [shownNodes, hidden]: [number[], number[]] = [[], []];
  for (let at = 0; at < parent.length; at++) {
    if (isWide(window.time_ns[at]!, all_ns) || isWide(baseline.time_ns[at]!, base_ns)) shownNodes.push(at);
    else if (window.spans[at]! > 0) hidden.push(at);
  }
  return { kept: shownNodes, hidden, all_ns };
}

async function named(
  session: Session,
  { parent, depth, service, name, window, baseline }: SummedPaths,
  shownNodes: readonly number[],
  scale: number,
): Promise<PathSums[]> {
  const codes = (column: Int32Array): number[] => [...new Set(shownNodes.map((at) => column[at]!))];
  const nameTables = await readNames(session, codes(name), codes(service));
  return shownNodes.map((at) => {
    const of = (column: Float64Array): number => column[at]! * scale;
    return {
      path: at + 1,
      parent: parent[at]! + 1,
      depth: depth[at]!,
      service: nameTables.service.get(service[at]!) ?? null,
      name: nameTables.name.get(name[at]!) ?? null,
      is_other: false,
      spans: Math.round(of(window.spans)),
      errors: Math.round(of(window.errors)),
      total_ns: of(window.total_ns),
      self_ns: of(window.self_ns),
      time_ns: of(window.time_ns),
      base_spans: Math.round(of(baseline.spans)),
      base_errors: Math.round(of(baseline.errors)),
      base_total_ns: of(baseline.total_ns),
      base_self_ns: of(baseline.self_ns),
      base_time_ns: of(baseline.time_ns),
    };
  });
}
