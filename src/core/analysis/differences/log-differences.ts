import type { DifferenceFilter } from '../../store/facts/reader.ts';
import { FIRST_ERROR, type LogIndex } from '../logs/log-index.ts';
import { severityName } from '../logs/severity.ts';
import { type Candidate, type Comparison, type SharePart, shareCandidate } from './candidate.ts';
import { differences } from './parameters.ts';

/** Sender of a log line, from its resource. */
export interface LogSenders {
  /** `kind:id`; null if the resource names no entity. */
  entityOf(resource: number): string | null;
}

/** Lines of one side in one slice of time: by template, severity and sender. */
interface Cluster {
  readonly inside: boolean;
  lines: number;
  readonly kinds: Map<string, Kind>;
}
interface Kind {
  readonly template: number;
  readonly resource: number;
  readonly severity: string;
  lines: number;
}

/**
 * Templates, severities and senders of log lines. Lines within a second, or within a slice of a long region, are one cluster
 * (share-test.ts): a message that repeats a thousand times, or that ten pods write at once, is one message.
 */
export function logDifferences(index: LogIndex, filter: DifferenceFilter, senders: LogSenders): Comparison {
  const { clusters, region, baseline } = clusterLines(index, filter);
  if (region + baseline === 0) return { candidates: [], compared: [], left_out: [] };
  const all = { region, baseline, squares: clusters.reduce((sum, { lines }) => sum + lines * lines, 0) };
  const parts: Parts = new Map();
  for (const cluster of clusters) addCluster(parts, cluster, index, senders);
  const tested = [...parts.values()].filter(
    ({ part }) => region > 0 && baseline > 0 && part.region_groups + part.baseline_groups >= differences.leastGroups,
  );
  return {
    candidates: tested.map(({ part, named }) => shareCandidate({ population: 'logs', ...named }, part, all)),
    compared: [
      {
        population: 'logs',
        region: region * index.share,
        baseline: baseline * index.share,
        region_share: 1 / index.share,
        baseline_share: 1 / index.share,
        tested: tested.length,
      },
    ],
    left_out: [],
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Named = Pick<Candidate, 'attribute' | 'value' | 'entity'>;
type Parts = Map<string, { readonly part: Mutable<SharePart>; readonly named: Named }>;

function clusterLines(index: LogIndex, sides: DifferenceFilter) {
  const second = (ns: bigint): number => Number(ns - index.origin_ns) / 1e9;
  const [from, to] = [second(sides.region_from_ns), second(sides.region_to_ns)];
  const [baseFrom, baseTo] = [second(sides.baseline_from_ns), second(sides.baseline_to_ns)];
  const meant = sides.members ? new Set(sides.members.resources) : null;
  const slice = Math.max(1, (to - from) / differences.logSlices);
  const clusters = new Map<string, Cluster>();
  const lines = { region: 0, baseline: 0 };
  for (let i = 0; i < index.count; i++) {
    const at = index.offset_s[i]!;
    const resource = index.resource[i]!;
    // Only a share of non-error lines is read, so they are scaled up.
    if (index.share > 1 && index.severity[i]! >= FIRST_ERROR && index.row[i]! % index.share !== 0) continue;
    const isMeant = meant === null || meant.has(resource);
    const inside = isMeant && at >= from && at < to;
    if (!inside && !(at >= baseFrom && at < baseTo && (isMeant || sides.is_rest))) continue;
    lines[inside ? 'region' : 'baseline']++;
    const template = index.template[i]!;
    const severity = severityName(index.severity[i]!);
    const slot = `${inside ? 1 : 0} ${Math.floor(at / slice)}`;
    const cluster = clusters.get(slot) ?? { inside, lines: 0, kinds: new Map<string, Kind>() };
    clusters.set(slot, cluster);
    cluster.lines++;
    const key = `${template} ${resource} ${severity}`;
    const kind = cluster.kinds.get(key);
    if (kind) kind.lines++;
    else cluster.kinds.set(key, { template, resource, severity, lines: 1 });
  }
  return { clusters: [...clusters.values()], ...lines };
}

function namesOf({ template, resource, severity }: Kind, { texts }: LogIndex, senders: LogSenders): Named[] {
  const sender = senders.entityOf(resource);
  return [
    ...(template < 0 ? [] : [{ attribute: 'log template', value: texts[template]!, entity: null }]),
    { attribute: 'log severity', value: severity, entity: null },
    ...(sender === null
      ? []
      : [{ attribute: 'log sender', value: sender.slice(sender.indexOf(':') + 1), entity: sender }]),
  ];
}

function addCluster(parts: Parts, { inside, lines, kinds }: Cluster, index: LogIndex, senders: LogSenders): void {
  const found = new Map<string, { readonly named: Named; lines: number }>();
  for (const kind of kinds.values())
    for (const named of namesOf(kind, index, senders)) {
      const key = `${named.attribute} ${named.value}`;
      const one = found.get(key);
      if (one) one.lines += kind.lines;
      else found.set(key, { named, lines: kind.lines });
    }
  for (const [key, { named, lines: x }] of found) {
    const zero = { region: 0, baseline: 0, region_groups: 0, baseline_groups: 0, squares: 0, products: 0 };
    const { part } = parts.get(key) ?? { part: zero };
    parts.set(key, { part, named });
    part[inside ? 'region' : 'baseline'] += x;
    part[inside ? 'region_groups' : 'baseline_groups']++;
    part.squares += x * x;
    part.products += x * lines;
  }
}
