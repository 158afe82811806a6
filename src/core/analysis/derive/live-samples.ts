import type { RowBatch, TableRows } from '../../../model/rows/rows.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { isMetricName } from '../../../model/telemetry/metric.ts';
import type { Reader, WatchedSeries } from '../../store/facts/reader.ts';
import { changeMetrics, eventMetrics, eventsOfSeries, inOrderOfTime, limitLine } from './derive-events.ts';
import { limitRules } from './rules.ts';
import { NO_LIMITS, parseLimits } from './sample-limits.ts';
import { SampleTrack } from './sample-track.ts';

const eventMetricSet: ReadonlySet<string> = new Set(eventMetrics);
const stepping: ReadonlySet<string> = new Set(changeMetrics);
/** Of `SeriesRow.temporality`: growth since the last sample, which no rule uses. */
const DELTA = 1;

/** Correction of sample times of a data source to the case's clock. */
interface SampleSource {
  readonly source_id: number;
  readonly clock_offset_ns: bigint;
}

const kindOf = (metric: string) => ({
  isStepped: stepping.has(metric),
  hasMedian: isMetricName(metric) && limitRules[metric]?.ofMedian !== undefined,
});

interface DerivedState {
  readonly key: string;
  readonly events: readonly DerivedEvent[];
}

/**
 * Incremental derivation of events from live samples: {@link derive} returns the same events as `deriveEvents` over all rows
 * so far, without reading them again. If this is not possible (a late sample, a limit that moved over recorded values), the
 * series is read with the same SQL, so live and stored cases have equal events.
 */
export class LiveSamples {
  /** null: no events are derived from this series. */
  private readonly tracks = new Map<number, SampleTrack | null>();
  private readonly touched = new Set<number>();
  private readonly disordered = new Set<number>();
  private readonly derivedStates = new Map<number, DerivedState>();
  private areEntitiesKnown = false;
  private seriesById: ReadonlyMap<number, Omit<WatchedSeries, 'samples' | 'median'>> = new Map();

  /** Of a case that may have samples already. */
  static async of(reader: Reader): Promise<LiveSamples> {
    const samples = new LiveSamples();
    await samples.read(reader);
    return samples;
  }

  /** Rows of one source as they are written; `series` are the case's numbers of the batch's series. */
  take({ source_id, clock_offset_ns }: SampleSource, batch: RowBatch, series: Int32Array): void {
    this.enter(batch, series);
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points) return;
    const { series: of, time_ns, value } = points.columns;
    for (let at = 0; at < points.count; at++) {
      const id = of[at]!;
      const track = this.tracks.get(id);
      if (!track || Number.isNaN(value[at])) continue;
      const time = time_ns[at]!;
      this.touched.add(id);
      const clock_ns = time + clock_offset_ns;
      const isInOrder = track.add({ source_id, time_ns: time, clock_ns, value: value[at]! });
      if (!isInOrder) this.disordered.add(id);
    }
  }

  private enter(batch: RowBatch, series: Int32Array): void {
    for (const [at, { metric, temporality }] of batch.series.entries()) {
      const id = series[at]!;
      if (this.tracks.has(id)) continue;
      const isWatched = eventMetricSet.has(metric) && temporality !== DELTA;
      this.tracks.set(id, isWatched ? new SampleTrack(id, kindOf(metric)) : null);
      if (isWatched) this.areEntitiesKnown = false;
    }
  }

  /** The clock of a data source changed: all is read again, once per capture. */
  clockChanged(): void {
    for (const [id, track] of this.tracks) if (track) this.disordered.add(id);
  }

  /** Aliases changed: the entity of each series must be resolved again. */
  entitiesChanged(): void {
    this.areEntitiesKnown = false;
  }

  private async read(reader: Reader, series?: readonly number[]): Promise<void> {
    const changes = Map.groupBy(await reader.watchedChanges(changeMetrics, series), ({ series_id }) => series_id);
    for (const state of await reader.watchedState(eventMetrics, series)) {
      const begun = { ...kindOf(state.metric), state, changes: changes.get(state.series_id) };
      this.tracks.set(state.series_id, new SampleTrack(state.series_id, begun));
      this.touched.add(state.series_id);
      const derivedStates = this.derivedStates.get(state.series_id);
      if (derivedStates) this.derivedStates.set(state.series_id, { ...derivedStates, key: '' });
    }
  }

  /**
   * All events derived from samples.
   *
   * @param reader sees all rows that were taken
   * @returns null if unchanged
   */
  async derive(reader: Reader): Promise<DerivedEvent[] | null> {
    if (this.disordered.size > 0) await this.read(reader, [...this.disordered]);
    this.disordered.clear();
    if (!this.areEntitiesKnown) await this.readSeries(reader);
    const watched = [...this.touched].flatMap((id) => this.watched(id) ?? []);
    this.touched.clear();
    await this.learnLevels(reader, watched);
    let isNews = false;
    for (const one of watched) isNews = this.update(one) || isNews;
    if (!isNews) return null;
    const known = [...this.derivedStates].sort(([a], [b]) => a - b);
    return inOrderOfTime(known.map(([, { events }]) => events));
  }

  private async readSeries(reader: Reader): Promise<void> {
    const before = this.seriesById;
    const seriesById = await reader.watchedEntitySeries(eventMetrics);
    this.seriesById = new Map(seriesById.map((series) => [series.series_id, series]));
    for (const { series_id, entity_kind } of seriesById)
      if (before.get(series_id)?.entity_kind !== entity_kind) this.touched.add(series_id);
    this.areEntitiesKnown = true;
  }

  private watched(id: number): WatchedSeries | undefined {
    const [series, track] = [this.seriesById.get(id), this.tracks.get(id)];
    return series && track ? { ...series, samples: track.samples, median: track.median } : undefined;
  }

  /** Series whose past events change under their current limits. */
  private async learnLevels(reader: Reader, watched: readonly WatchedSeries[]): Promise<void> {
    const candidates = watched.flatMap((series) => {
      const line = limitLine(series);
      const { limits } = line === undefined ? { limits: NO_LIMITS } : parseLimits(line);
      const isKnown = this.tracks.get(series.series_id)?.limit(limits) ?? true;
      return isKnown || line === undefined ? [] : [line];
    });
    const levels = Map.groupBy(await reader.watchedLevels(candidates), ({ series_id }) => series_id);
    for (const { series, limits } of candidates.map(parseLimits))
      this.tracks.get(series)?.learn(limits, levels.get(series) ?? []);
  }

  /** @returns whether it changed */
  private update(series: WatchedSeries): boolean {
    const track = this.tracks.get(series.series_id)!;
    const before = this.derivedStates.get(series.series_id);
    const key = `${series.entity_kind} ${track.edition}`;
    if (before?.key === key) return false;
    const levels = limitLine(series) === undefined ? [] : track.levels();
    const events = eventsOfSeries(series, { changes: track.changes(), levels });
    this.derivedStates.set(series.series_id, { key, events });
    return events.length > 0 || (before?.events.length ?? 0) > 0;
  }
}
