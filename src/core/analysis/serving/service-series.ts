import type { ServingQuantity } from '../../../model/telemetry/serving-attributes.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { Reader, RequestedTokensFact, ServingFact, ServingPartFact } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { serving } from './parameters.ts';

/** A quantity in one slice of time. */
export interface Level {
  readonly slice: number;
  readonly readings: number;
  readonly mean: number;
  /** Median. */
  readonly middle: number;
  readonly total: number;
  readonly high: number;
  readonly refs: readonly string[];
}

/** A quantity over time. */
export class Track {
  /** In order of time. */
  readonly levels: readonly Level[];
  /** Usual distance of two levels, slices. */
  readonly interval: number;
  private readonly bySlice: ReadonlyMap<number, Level>;

  /** @param interval of the levels, if it is known */
  constructor(levels: readonly Level[], interval?: number) {
    this.levels = levels.toSorted((a, b) => a.slice - b.slice);
    this.bySlice = new Map(this.levels.map((level) => [level.slice, level]));
    const distances = this.levels.slice(1).map(({ slice }, i) => slice - this.levels[i]!.slice);
    this.interval =
      interval ?? (distances.length === 0 ? 1 : Math.min(serving.mostHeldSlices, Math.max(1, median(distances))));
  }

  /** What was read last, as long as it holds: metrics are collected at intervals. */
  at(slice: number): Level | undefined {
    for (let held = 0; held < this.interval; held++) {
      const level = this.bySlice.get(slice - held);
      if (level) return level;
    }
    return undefined;
  }
}

/** What was recorded of a service, or of one of its replicas, that serves a model. */
export interface ServingTracks {
  readonly tracks: ReadonlyMap<ServingQuantity, Track>;
}

export interface ServiceSeries extends ServingTracks {
  /** Canonical. */
  readonly service: number;
  /** null: several, or unknown. */
  readonly model: string | null;
  readonly slice_ns: bigint;
  /** Named ones. */
  readonly replicas: ReadonlyMap<string, ServingTracks>;
  /** Calls of each tool that its spans name. */
  readonly tools: ReadonlyMap<string, Track>;
  /** Tokens by who requested them, as its spans state. */
  readonly requested: readonly RequestedTokensFact[];
}

function tracksOf(facts: readonly ServingFact[]): Map<ServingQuantity, Track> {
  const tracks = new Map<ServingQuantity, Track>();
  for (const [quantity, own] of Map.groupBy(facts, (fact) => fact.quantity)) {
    const scale = quantity === 'busy_share' && own.some(({ high }) => high > 100) ? 0.01 : 1;
    // Of two rows of a slice the later one counts, which is that of metrics.
    const levels = new Map(
      own.map(({ slice, readings, mean, middle, total, high, ref }): [number, Level] => [
        Number(slice),
        {
          slice: Number(slice),
          readings,
          mean: mean * scale,
          middle: middle * scale,
          total: total * scale,
          high: high * scale,
          refs: [ref],
        },
      ]),
    );
    const track = new Track([...levels.values()]);
    const name = quantity === 'busy_share' ? 'busy' : quantity;
    if (!tracks.has(name) || name === quantity) tracks.set(name, track);
  }
  return withShares(tracks);
}

/** What is stated by its parts: hits of look-ups, a batch of its limit, in percent; the time of a request by that of all. */
function withShares(tracks: Map<ServingQuantity, Track>): Map<ServingQuantity, Track> {
  const ratio = (part: ServingQuantity, whole: ServingQuantity, of: 'mean' | 'total'): Track | undefined => {
    const [parts, wholes] = [tracks.get(part), tracks.get(whole)];
    if (!parts || !wholes) return undefined;
    const levels = parts.levels.flatMap((own): Level[] => {
      const all = wholes.at(own.slice);
      if (!all || !(all[of] > 0)) return [];
      const mean = own[of] / all[of];
      return [{ ...own, mean, middle: mean, high: mean, readings: of === 'total' ? all.total : own.readings }];
    });
    return levels.length > 0 ? new Track(levels) : undefined;
  };
  const share = (...args: Parameters<typeof ratio>): Track | undefined => {
    const track = ratio(...args);
    return track && new Track(track.levels.map((level) => ({ ...level, mean: Math.min(100, 100 * level.mean) })));
  };
  const add = (quantity: ServingQuantity, track: Track | undefined): void => {
    if (track && !tracks.has(quantity)) tracks.set(quantity, track);
  };
  add('cache_hit', share('cache_hits', 'cache_lookups', 'total') ?? share('cache_hits', 'input_tokens', 'total'));
  add('duration', ratio('time', 'completed', 'total'));
  add('batch', ratio('inferences', 'executions', 'total'));
  add('batch_fill', share('batch', 'batch_limit', 'mean') ?? share('running', 'batch_limit', 'mean'));
  return tracks;
}

/** The busiest GPU of a service in each slice: others may belong to somebody else. */
function busiest(gpus: readonly Track[]): Track {
  const highest = new Map<number, Level>();
  for (const track of gpus)
    for (const level of track.levels) {
      const known = highest.get(level.slice);
      if (!known || level.mean > known.mean) highest.set(level.slice, level);
    }
  return new Track([...highest.values()]);
}

/** Parts of the requests of services that serve models. Read only where there are such services. */
export async function readServingParts(reader: Reader, [first]: readonly ServiceSeries[]): Promise<ServingPartFact[]> {
  return first === undefined
    ? []
    : reader.servingParts(first.slice_ns, await reader.callShare(), serving.mostParts, serving.mostFacts);
}

/** Requests of a service by who requested them, by slices of time. Nothing where there are too many to read all. */
async function readRequestedTokens(reader: Reader, slice_ns: bigint): Promise<RequestedTokensFact[]> {
  const rows = await reader.requestedTokens(slice_ns, await reader.callShare(), serving.mostFacts);
  return rows.length < serving.mostFacts ? rows : [];
}

/** Every service of which spans or metrics state how it serves a model, by slices of time. Empty without recordings. */
export async function readServing(reader: Reader, graph: EntityGraph): Promise<ServiceSeries[]> {
  const range = await reader.recordedRange();
  if (!range) return [];
  const shortest_ns = nanoseconds(serving.leastSliceSeconds);
  const even_ns = (range.to_ns - range.from_ns) / BigInt(Math.round(serving.slices));
  const slice_ns = even_ns > shortest_ns ? even_ns : shortest_ns;
  const facts = await reader.servingFacts(slice_ns, await reader.callShare(), serving.mostFacts);
  const calls = facts.some(({ quantity }) => quantity === 'tool_duration')
    ? await reader.toolCalls(slice_ns, await reader.callShare(), serving.mostFacts)
    : [];
  const tools = Map.groupBy(calls, ({ service }) => service);
  const hasTokens = facts.some(({ quantity }) => quantity === 'input_tokens' || quantity === 'output_tokens');
  const requested = Map.groupBy(hasTokens ? await readRequestedTokens(reader, slice_ns) : [], ({ service }) => service);
  return seriesOf(facts, slice_ns, graph).map((series) => ({
    ...series,
    requested: requested.get(series.service) ?? [],
    tools: new Map(
      [...Map.groupBy(tools.get(series.service) ?? [], ({ tool }) => tool)].flatMap(([tool, own]) => {
        const track = tracksOf(own).get('tool_duration');
        return track ? [[tool, track] as const] : [];
      }),
    ),
  }));
}

export function seriesOf(facts: readonly ServingFact[], slice_ns: bigint, graph: EntityGraph): ServiceSeries[] {
  const entities = Map.groupBy(facts, ({ service }) => service);
  const isGpu = (key: number): boolean => graph.node(key)?.kind === 'gpu';
  const busy = new Map(
    [...entities].flatMap(([key, own]) => {
      const track = isGpu(key) ? tracksOf(own.filter(({ replica }) => replica === null)).get('busy') : undefined;
      return track ? [[key, track] as const] : [];
    }),
  );
  return [...entities].flatMap(([service, own]): ServiceSeries[] => {
    const whole = own.filter(({ replica }) => replica === null);
    if (graph.node(service)?.kind !== 'service' || whole.length === 0) return [];
    const tracks = tracksOf(whole);
    const gpus = [...graph.sourcesOf(service).keys()].flatMap((key) => busy.get(key) ?? []);
    if (gpus.length > 0) tracks.set('busy', busiest(gpus));
    const named = Map.groupBy(own, ({ replica }) => replica ?? '');
    named.delete('');
    const replicas = new Map([...named].map(([name, rows]) => [name, { tracks: tracksOf(rows) }]));
    const models = new Set(whole.map(({ model }) => model));
    return [
      {
        service,
        model: models.size === 1 ? whole[0]!.model : null,
        slice_ns,
        tracks,
        replicas,
        tools: new Map(),
        requested: [],
      },
    ];
  });
}
