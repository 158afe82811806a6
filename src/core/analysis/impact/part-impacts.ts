import type { CorrelateOptions, ServicePart } from '../../../model/incident/incident.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { median, quantile } from '../statistics.ts';
import { histogramParts } from './histogram-parts.ts';
import { findImpacts, type ImpactWindow } from './impact.ts';
import { meanParts } from './mean-measurements.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';
import { partsBySpans } from './request-buckets.ts';
import { readLoggedRanks, readMeasuredRanks, readSpanSteps } from './span-steps.ts';

/**
 * Measurements of the parts of the requests of services, of kinds of which a service has several parts: from spans, and from
 * histograms for kinds that its spans do not name; and of the processes of training jobs, from spans, log lines or metrics.
 */
export async function readParts(reader: Reader): Promise<Measurements[]> {
  const facts = await reader.serviceParts(await reader.callShare(impact.mostPartSpans), {
    requests: impact.leastPartBefore + impact.leastPartRequests,
    parts: impact.mostParts,
    rows: impact.mostPartRows,
  });
  const processes = await readProcesses(reader);
  const jobs = new Set(processes.map(({ service }) => service));
  const requests = facts.filter(({ service }) => !jobs.has(service));
  const bySpans = partsBySpans(requests);
  const kindOf = ({ service, part }: Measurements): string => `${service} ${part?.kind}`;
  const known = new Set(bySpans.map(kindOf));
  const byHistograms = (await histogramParts(reader)).filter((one) => !known.has(kindOf(one)));
  const measured = new Set([...known, ...byHistograms.map(kindOf)]);
  const byMeans = (await meanParts(reader)).filter((one) => !measured.has(kindOf(one)));
  return [...bySpans, ...byHistograms, ...byMeans, ...processes];
}

/** Of each job by its spans, else by its log lines, else by its metrics. */
async function readProcesses(reader: Reader): Promise<Measurements[]> {
  const found: Measurements[] = [...(await readSpanSteps(reader)).processes];
  for (const read of [readLoggedRanks, readMeasuredRanks]) {
    const known = new Set(found.map(({ service }) => service));
    found.push(...(await read(reader)).filter(({ service }) => !known.has(service)));
  }
  return found;
}

/** The ranks of jobs whose steps became slower while those of most others did not, by their spans, else their log lines, else their metrics. */
export const readSlowRanks = async (reader: Reader, options: CorrelateOptions): Promise<ImpactWindow[]> =>
  withSlowRanks([], await readProcesses(reader), options);

/** An impact of a part while the other parts of its kind did as usual. */
interface PartImpact {
  readonly window: ImpactWindow;
  readonly part: ServicePart;
  readonly strength: number;
}

/**
 * Impacts with those of parts of services. An impact of a part replaces those of its whole service for which it accounts; where
 * the whole service shows any other meanwhile, the part has none. Requests for one tenant may be those for one model: of impacts
 * of parts at the same time only the clearest counts.
 * @param whole of services
 */
export function withParts(
  whole: readonly ImpactWindow[],
  parts: readonly Measurements[],
  options: CorrelateOptions,
): ImpactWindow[] {
  const [processes, requests] = [parts.filter(isOfSteps), parts.filter((one) => !isOfSteps(one))];
  const all = withSlowRanks(whole, processes, options);
  for (const [service, own] of Map.groupBy(requests, (one) => one.service)) {
    const kinds = Map.groupBy(own, ({ part }) => part?.kind);
    const found = [...kinds.values()].flatMap((peers) => ofKind(peers, options));
    for (const window of apart(found)) {
      const meanwhile = all.filter((one) => one.service === service && overlap(one, window));
      const peers = kinds.get(window.parts[0]?.kind) ?? [];
      if (!meanwhile.every((one) => isOf(window, one, peers))) continue;
      for (const one of meanwhile) all.splice(all.indexOf(one), 1);
      all.push(window);
    }
  }
  return all;
}

const isOfSteps = ({ from }: Measurements): boolean => from === 'steps';

/**
 * Impacts with the ranks of jobs that are slow alone. All wait for such a rank, so that it accounts for whatever else the job lacks
 * meanwhile.
 */
function withSlowRanks(
  whole: readonly ImpactWindow[],
  processes: readonly Measurements[],
  options: CorrelateOptions,
): ImpactWindow[] {
  const all = [...whole];
  for (const own of Map.groupBy(processes, ({ service }) => service).values()) {
    const slow = own.map((process) => findImpacts(process, options).filter(({ harm }) => harm === 'slowed'));
    const isAmongFew = (window: ImpactWindow): boolean =>
      slow.filter((windows) => windows.some((one) => overlap(one, window))).length <=
      1 + impact.slowRankShare * (own.length - 1);
    const alone = slow.flatMap((windows, i) =>
      windows.filter(isAmongFew).map((window) => ({ window, strength: window.slowed_times ?? 1, part: own[i]!.part! })),
    );
    for (const window of apart(alone)) {
      for (const one of all.filter(({ service }) => service === window.service))
        if (overlap(one, window)) all.splice(all.indexOf(one), 1);
      all.push(window);
    }
  }
  return all;
}

/** Whether a part accounts for an impact of the whole service: nothing else of it was slow, failed or missing. */
function isOf(window: ImpactWindow, whole: ImpactWindow, peers: readonly Measurements[]): boolean {
  const { measurements, baseline, first, last } = whole;
  if (whole.parts.length > 0 || whole.harm !== 'degraded' || whole.onset_ns < window.onset_earliest_ns) return false;
  const isMissing = median(measurements.throughput.subarray(first, last + 1)) < baseline.throughput / impact.timesWorse;
  return !isMissing && isAlone(peers, { ...window, onset_ns: whole.onset_ns, end_ns: whole.end_ns }, impact.partTimes);
}

/** Impacts of the parts of one kind. */
function ofKind(peers: readonly Measurements[], options: CorrelateOptions): PartImpact[] {
  const total = peers.reduce((sum, one) => sum + requestsIn(one), 0);
  return peers.flatMap((measured) => {
    const { part } = measured;
    if (!part || requestsIn(measured) > impact.mostPartShare * total) return [];
    return findImpacts(measured, options).flatMap((found): PartImpact[] => {
      const window = { ...found, parts: [part] };
      const rise = riseOf(measured, window);
      const requests = requestsIn(measured, window.first, window.last + 1);
      const isClear = rise >= impact.partTimes && isBeyondUsual(window);
      return isClear && isAlone(peers, window, rise) ? [{ window, part, strength: rise * Math.sqrt(requests) }] : [];
    });
  });
}

const requestsIn = ({ requests }: Measurements, from = 0, to = requests.length): number =>
  requests.subarray(from, to).reduce((sum, count) => sum + count, 0);

type Times = Pick<ImpactWindow, 'onset_ns' | 'end_ns'>;

const knownOf = (column: Float64Array): number[] => [...column].filter((value) => !Number.isNaN(value));

/** How a part did during a time and before it: a typical request, and the share of failed ones in percent. */
function compared(measured: Measurements, { onset_ns, end_ns }: Times) {
  const [first, after] = [firstAtOrAfter(measured.time_ns, onset_ns), firstAtOrAfter(measured.time_ns, end_ns + 1n)];
  const figures = (from: number, to: number) => {
    const requests = requestsIn(measured, from, to);
    const failed = measured.requests
      .subarray(from, to)
      .reduce((sum, n, i) => sum + n * measured.error_rate[from + i]!, 0);
    return {
      requests,
      p50: median(measured.p50.subarray(from, to)),
      // Of means no quantile is known: the longest ones of single intervals are beyond most requests, too.
      p95: measured.meanOf
        ? quantile(knownOf(measured.p50.subarray(from, to)), 0.95)
        : median(measured.p95.subarray(from, to)),
      failed: failed / requests,
    };
  };
  return { before: figures(0, first), during: figures(first, after) };
}

/** 1 if too few requests show any. */
function riseOf(measured: Measurements, times: Times, of: readonly ('p50' | 'p95')[] = ['p50']): number {
  const { before, during } = compared(measured, times);
  if (before.requests < impact.leastPartBefore || during.requests < impact.leastPartRequests) return 1;
  const failures =
    during.failed >= impact.partErrorPercent ? during.failed / Math.max(before.failed, impact.errorFloorPercent) : 1;
  return Math.max(failures, ...of.map((field) => during[field] / before[field] || 1));
}

/** Whether a typical request took longer than the slowest ones usually do, or many failed. */
function isBeyondUsual(window: ImpactWindow): boolean {
  const { before, during } = compared(window.measurements, window);
  const isFailing = during.failed >= impact.partErrorPercent && during.failed >= impact.partTimes * before.failed;
  return isFailing || during.p50 > before.p95;
}

/** Whether most requests of the other parts took about as long as before, the slowest ones as well, and did not fail. */
function isAlone(peers: readonly Measurements[], window: ImpactWindow, rise: number): boolean {
  const known = peers
    .filter(({ part }) => !window.parts.some(({ name }) => name === part?.name))
    .map((one) => ({ requests: compared(one, window).during.requests, rise: riseOf(one, window, ['p50', 'p95']) }));
  const sum = (some: typeof known): number => some.reduce((all, { requests }) => all + requests, 0);
  const calm = known.filter((one) => impact.timesWorse * one.rise <= Math.min(rise, impact.timesWorse ** 2));
  return sum(known) >= impact.leastPartRequests && sum(calm) > sum(known) / 2;
}

const overlap = (a: ImpactWindow, b: ImpactWindow): boolean =>
  a.onset_earliest_ns <= b.end_ns && b.onset_earliest_ns <= a.end_ns;

/** Of impacts at the same time the one that is most about its part, with the other parts of its kind. */
function apart(found: readonly PartImpact[]): ImpactWindow[] {
  const kept: { readonly window: ImpactWindow; readonly parts: ServicePart[]; readonly otherParts: Measurements[] }[] =
    [];
  for (const { window, part } of found.toSorted((a, b) => b.strength - a.strength)) {
    const known = kept.find((one) => overlap(one.window, window));
    if (!known) kept.push({ window, parts: [part], otherParts: [] });
    else if (known.parts[0]!.kind === part.kind && !known.parts.some(({ name }) => name === part.name)) {
      known.parts.push(part);
      known.otherParts.push(window.measurements);
    }
  }
  return kept.map(({ window, ...parts }) => ({ ...window, ...parts }));
}
