import { SharedWork } from '../../../base/shared-work.ts';
import { TaskQueue } from '../../../base/task-queue.ts';
import type { CaseInfo, SourceInfo } from '../../../model/contract/index.ts';
import type { ClockEstimateView } from '../../../model/incident/clock-estimate.ts';
import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import { correlateOptionsSchema } from '../../../model/incident/incident-schema.ts';
import type { KnownQueries, Opening, StoredCase } from '../../../model/storage/case-storage.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { ReadPlaces } from '../../../model/storage/source.ts';
import type { ReadDetails } from '../../../model/telemetry/event-details.ts';
import type { FileClock } from '../../analysis/clocks/clock-estimate.ts';
import { type Investigation, investigate, type Reasoning } from '../../analysis/correlate.ts';
import { deriveAll } from '../../analysis/derive/derive-all.ts';
import type { Measurements } from '../../analysis/impact/measurement-table.ts';
import { readMeasurements } from '../../analysis/impact/measurements.ts';
import type { TrainingJob } from '../../analysis/jobs/job.ts';
import { readJobs } from '../../analysis/jobs/read-jobs.ts';
import { type LogIndex, readLogIndex } from '../../analysis/logs/log-index.ts';
import { findPatterns } from '../../analysis/patterns/find-patterns.ts';
import type { Finding } from '../../analysis/patterns/pattern.ts';
import type { Warning } from '../../analysis/warnings/warning.ts';
import { inSnapshot, prepareCase } from '../../store/case-file/case-file.ts';
import { prepareFoundCase } from '../../store/case-file/untrusted-case.ts';
import { loadBundle } from '../../store/copies/bundle-tables.ts';
import { createReader, type Reader } from '../../store/facts/reader.ts';
import { ReaderMemory } from '../../store/facts/reader-memory.ts';
import type { CaseTimeIndex } from '../../store/facts/time-index.ts';
import type { Flushed } from '../../store/live/live-writer.ts';
import { replaceDerivedEvents } from '../../store/writer/derived-events.ts';
import { WarmTimeIndex } from '../evidence/warm-time-index.ts';
import { concludeCatalog, type LaneCatalog, type RecordedLanes, readRecordedLanes } from '../lanes/lane-catalog.ts';
import { readCaseInfo, readSources } from './case-info.ts';
import { catchUp } from './catch-up.ts';
import { FoundPatterns } from './found-patterns.ts';
import type { MechanismsInUse, ThresholdsInUse } from './own-file.ts';

async function settled(stored: StoredCase): Promise<StoredCase> {
  if (!stored.settle) return stored;
  await stored.engine.close();
  return stored.settle();
}

/** Tables of our own making need no check. @returns whether the case is new, or its older schema, which is to be kept first */
const prepare = ({ engine, name, bundle, isNew, keepOlder }: StoredCase): Promise<boolean | number> =>
  bundle || isNew ? prepareCase(engine, name) : prepareFoundCase(engine, name, keepOlder !== undefined);

/** With different options; each holds its graphs. */
const MOST_INVESTIGATIONS = 2;

/** Dependencies of an open case. */
interface CaseContext {
  readonly mechanisms: MechanismsInUse;
  readonly thresholds: ThresholdsInUse;
  readonly queries: KnownQueries;
  readonly readDetails: ReadDetails;
  readonly readPlaces: ReadPlaces;
}

type OpenedContext = Omit<CaseContext, 'readDetails'>;

/** An open case: its database, and results cached since its rows last changed. */
export class OpenCase {
  readonly stored: StoredCase;
  readonly mechanisms: MechanismsInUse;
  readonly thresholds: ThresholdsInUse;
  /** What records name in their own attributes, for a capture that ends. */
  readonly readPlaces: ReadPlaces;
  /** Tables go out through one folder, by one setting of the database, and two sorts at once do not fit its memory. */
  readonly exports = new TaskQueue();
  readonly queries: KnownQueries;
  /** By options, the latest last. */
  private readonly investigations = new Map<string, Promise<Investigation>>();
  private memory = new ReaderMemory();
  private measured: Promise<ReadonlyMap<number, Measurements>> | undefined;
  private readonly found: FoundPatterns;
  private trainingJobs = this.jobWork();
  private isWarm = false;
  private readonly closing = new AbortController();
  private recorded: Promise<RecordedLanes> | undefined;
  private logs = this.logWork();
  private rows = this.warmTimeIndex();
  private lanes: { readonly of: Investigation; readonly catalog: Promise<LaneCatalog> } | undefined;

  private constructor(stored: StoredCase, { mechanisms, thresholds, queries, readPlaces }: OpenedContext) {
    this.stored = stored;
    this.mechanisms = mechanisms;
    this.thresholds = thresholds;
    this.found = new FoundPatterns(thresholds, (changed, signal) =>
      this.reading((reader) => findPatterns(reader, changed), signal),
    );
    this.queries = queries;
    this.readPlaces = readPlaces;
  }

  static async from(
    stored: StoredCase,
    { readDetails, ...context }: CaseContext,
    opening?: Opening,
  ): Promise<OpenCase> {
    let own = stored;
    try {
      await loadBundle(stored, opening);
      if (stored.bundle) {
        opening?.signal.throwIfAborted();
        own = await settled(stored);
      }
      const found = await prepare(own);
      if (typeof found === 'number' && own.keepOlder) {
        await own.engine.close();
        own = await own.keepOlder(found);
      }
      const isNew = typeof found === 'number' ? await prepareFoundCase(own.engine, own.name) : found;
      const opened = new OpenCase(own, context);
      if (!isNew) await catchUp(opened, { readDetails, readPlaces: context.readPlaces });
      return opened;
    } catch (error) {
      await own.engine.close();
      // It was never visible.
      if (own.bundle) await own.discard?.();
      throw error;
    }
  }

  /** Closes a case that was made in a temporary place and is complete. @returns it in its place, open; a case that has its place as it is */
  settled(): Promise<StoredCase> {
    return settled(this.stored);
  }

  /** The same case under another name, which its report bears. */
  named(name: string): OpenCase {
    return new OpenCase({ ...this.stored, name }, this);
  }

  /** Work on a connection of its own, so that an abort does not interrupt others. */
  async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.stored.engine.session();
    try {
      return await work(session);
    } finally {
      session.close();
    }
  }

  /** A failed computation is repeated on the next request; its waiters get the error, and without waiters it is ignored. */
  private remembered<T>(place: 'measured' | 'recorded', work: (session: Session) => Promise<T>): Promise<T> {
    const made = this.withSession(work);
    made.catch(() => {
      if ((this[place] as unknown) === made) this[place] = undefined;
    });
    return made;
  }

  /** Must be called whenever rows change: cached results are then invalid. */
  changed(): void {
    this.investigations.clear();
    this.memory = new ReaderMemory();
    this.measured = undefined;
    this.found.forget();
    this.trainingJobs = this.jobWork();
    this.recorded = undefined;
    this.logs = this.logWork();
    this.rows.changed();
    this.rows = this.warmTimeIndex();
    this.lanes = undefined;
  }

  /** Rows were added by a capture: results for other times stay valid. */
  rowsCame({ times, newEntities }: Flushed): void {
    const { memory } = this;
    this.changed();
    // A new alias concerns all times.
    if (newEntities) return;
    // A flush without timed rows may bring links, or the time until which a feed recorded.
    memory.rowsCame(times);
    this.memory = memory;
  }

  /** The investigator edited the map: everything is ranked anew, nothing but the map is read again. */
  edgesChanged(): void {
    this.investigations.clear();
    this.memory.forget('edges');
    this.found.forget();
    this.trainingJobs = this.jobWork();
    this.recorded = undefined;
    this.lanes = undefined;
  }

  /** The investigator drew a lane, or took one away: nothing else is read again. */
  lanesChanged(): void {
    this.recorded = undefined;
    this.lanes = undefined;
  }

  /** Derives events from samples. Must run after rows have changed. */
  async derive(): Promise<void> {
    await this.withSession(async (session) => {
      const derived = await inSnapshot(session, () => deriveAll(createReader(session, undefined, { atRest: true })));
      await replaceDerivedEvents(session, derived);
    });
    this.changed();
  }

  /** With the default options. */
  conclusions(): Promise<Investigation> {
    return this.investigation(correlateOptionsSchema.parse({}));
  }

  /** Computed once per state of the case, options and mechanisms. */
  async investigation(options: CorrelateOptions, signal?: AbortSignal): Promise<Investigation> {
    const key = await this.keyOf(options);
    const known = this.investigations.get(key);
    if (known) {
      // A shared computation may fail because its first requester cancelled.
      const shared = await known.catch(() => null);
      if (shared) return shared;
    }
    const made = this.reason(options, {}, signal);
    this.investigations.set(key, made);
    const [oldest] = this.investigations.keys();
    if (this.investigations.size > MOST_INVESTIGATIONS && oldest !== undefined) this.investigations.delete(oldest);
    made.catch(() => this.investigations.get(key) === made && this.investigations.delete(key));
    return made;
  }

  private async keyOf(options: CorrelateOptions): Promise<string> {
    return `${(await this.mechanisms.current()).edition} ${JSON.stringify(options)}`;
  }

  /** Reads only what no investigation of this state of the case has read before. */
  async reason(
    options: CorrelateOptions,
    { whatIf, only }: Pick<Reasoning, 'whatIf' | 'only'>,
    signal?: AbortSignal,
  ): Promise<Investigation> {
    const { value: mechanisms, problem } = await this.mechanisms.current();
    const found = await this.reading((reader) => investigate(reader, options, { mechanisms, whatIf, only }), signal);
    return problem ? warned(found, { kind: 'mechanisms_invalid', problem: problem.message }) : found;
  }

  /** From the results; without results, no ranking is done. */
  async clocks(): Promise<ClockEstimateView[]> {
    const options = correlateOptionsSchema.parse({});
    const known = this.investigations.get(await this.keyOf(options));
    const { clocks } = await (known ?? this.reason(options, { only: new Set() }));
    return clocks.map(toClockView);
  }

  measurements(): Promise<ReadonlyMap<number, Measurements>> {
    this.measured ??= this.remembered('measured', (session) =>
      readMeasurements(this.memory.over(createReader(session))),
    );
    return this.measured;
  }

  /** Pattern findings of one state of the case and of the thresholds. Stops if all requesters cancel. */
  findings(signal?: AbortSignal): Promise<readonly Finding[]> {
    return this.found.get(signal);
  }

  /** Training jobs of one state of the case. Stops if all requesters cancel. */
  jobs(signal?: AbortSignal): Promise<readonly TrainingJob[]> {
    return this.trainingJobs.get(signal);
  }

  /** Once a window shows lanes, it is likely to show jobs: of thousands of ranks they take half a second. Once for a case. */
  private warmJobs(): void {
    if (this.isWarm) return;
    this.isWarm = true;
    // Errors appear in the request of a window.
    this.jobs(this.closing.signal).catch(() => undefined);
  }

  private jobWork(): SharedWork<readonly TrainingJob[]> {
    return new SharedWork(async (signal) => {
      const measured = await this.measurements();
      return this.reading((reader) => readJobs(reader, measured, correlateOptionsSchema.parse({})), signal);
    });
  }

  /** A consistent state of the case, even during a capture; what was answered before is not read again. */
  reading<T>(work: (reader: Reader, session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { memory } = this;
    // Before the snapshot: rows that come while it is taken may be missing in it.
    const { edition } = memory;
    return this.withSession((session) =>
      inSnapshot(session, () => work(memory.over(createReader(session, signal, { atRest: true }), edition), session)),
    );
  }

  /** Built on the first log request: a million records take a few seconds. Stops if all requesters cancel. */
  logIndex(signal?: AbortSignal): Promise<LogIndex> {
    return this.logs.get(signal);
  }

  private logWork(): SharedWork<LogIndex> {
    return new SharedWork((signal) => this.withSession((session) => readLogIndex(createReader(session, signal))));
  }

  /** Undefined if the database must be queried. */
  timeIndex(): CaseTimeIndex | undefined {
    return this.rows.timeIndex();
  }

  private warmTimeIndex(): WarmTimeIndex {
    return new WarmTimeIndex((work) => this.withSession(work));
  }

  /** Lanes of what was recorded, before anything is concluded. */
  recordedLanes(): Promise<RecordedLanes> {
    this.recorded ??= this.remembered('recorded', (session) =>
      readRecordedLanes(session, this.queries, this.memory.over(createReader(session))),
    );
    return this.recorded;
  }

  async catalog(): Promise<LaneCatalog> {
    const recorded = this.recordedLanes();
    const investigation = await this.conclusions();
    this.warmJobs();
    if (this.lanes?.of !== investigation) {
      const measured = this.measurements();
      const catalog = (async () => concludeCatalog(await recorded, { investigation, measurements: await measured }))();
      catalog.catch(() => {
        if (this.lanes?.catalog === catalog) this.lanes = undefined;
      });
      this.lanes = { of: investigation, catalog };
    }
    return this.lanes.catalog;
  }

  /** Data locations of these lanes; recorded data can be read before the analysis. */
  async catalogOf(lanes: readonly string[]): Promise<LaneCatalog> {
    const recorded = await this.recordedLanes();
    return lanes.every((lane) => recorded.targets.has(lane)) ? recorded : this.catalog();
  }

  sources(): Promise<SourceInfo[]> {
    return this.withSession(readSources);
  }

  info(): Promise<CaseInfo> {
    return this.withSession((session) => readCaseInfo(session, this.stored));
  }

  close(): Promise<void> {
    this.closing.abort();
    this.rows.changed();
    return this.stored.engine.close();
  }

  /** Removes a new case whose import added nothing. */
  async discard(): Promise<void> {
    await this.close();
    await this.stored.discard?.();
  }
}

export function toClockView({
  source_id,
  file_id,
  name,
  method,
  error,
  perhaps,
  ...clock
}: FileClock): ClockEstimateView {
  const { offset_ns, uncertainty_ns, drift_ppm, pairs, remark } = clock;
  const perhaps_ns = perhaps?.correction_ns ?? null;
  return { source_id, file_id, name, method, error, offset_ns, perhaps_ns, uncertainty_ns, drift_ppm, pairs, remark };
}

/** The same results, with one more warning per incident. */
function warned(found: Investigation, warning: Warning): Investigation {
  const conclusions = found.conclusions.map((one) => ({
    ...one,
    incident: { ...one.incident, warnings: [...one.incident.warnings, warning] },
  }));
  return { ...found, conclusions, warnings: [...found.warnings, warning] };
}
