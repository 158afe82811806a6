import type { ImportEvent, PullEvent } from '../../../model/contract/index.ts';
import { fail, type Problem } from '../../../model/problem.ts';
import type { Archive, Selection, TimeWindow } from '../../../model/storage/archive.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { type ImportSource, importSource, type Progressing, type SourceRun, settleImport } from '../imports/import.ts';
import { type FetchOutcome, fetchSlices, isFetched, type Slice } from './fetch-slices.ts';
import { type PlannedQuery, planQuery, presentWindows, type Wanted } from './plan-pull.ts';

export interface Pull {
  readonly archive: Archive;
  readonly selection: Selection;
  readonly window: TimeWindow;
  readonly isOnlyPlan: boolean;
  /** The open case; undefined: there is none yet. */
  readonly opened: OpenCase | undefined;
  readonly run: SourceRun;
  /** Shared by the data sources of this pull. */
  readonly state: Progressing;
}

/** So many slices failed one after another: the archive is gone, and the rest waits for the next pull. */
const MOST_FAILED_IN_ROW = 5;

/** Plans a pull, then imports slice after slice. Whole slices stay, whatever becomes of the others. */
export async function* pull(job: Pull): AsyncGenerator<PullEvent, void, void> {
  const { archive, isOnlyPlan, run } = job;
  const settled_ns = run.now() - archive.lag_ns;
  const window = settledWindow(job, settled_ns);
  const planned = await plannedQueries(job, { window, settled_ns, signal: run.signal });
  yield { kind: 'plan', archive: archive.address, ...window, queries: planned.map(planView) };
  if (isOnlyPlan) return;
  const slices = planned.flatMap(({ query, slices: windows }) =>
    windows.map((one) => ({ query, window: one, cuts: 0 })),
  );
  const progress = new PullProgress(archive, slices.length);
  try {
    for await (const outcome of fetchSlices(slices, archive.parallel, run.signal, () => progress.count++)) {
      yield* takeSlice(job, outcome, progress);
      yield progress.event();
      if (progress.failedInRow >= MOST_FAILED_IN_ROW) break;
    }
  } finally {
    if (progress.pulled > 0) await settleImport(await run.openCase());
  }
  const { pulled, failed, left, rows } = progress;
  yield { kind: 'done', pulled, failed, left, rows };
}

/** Ends before what may still arrive. @throws ProblemError pull.empty_window */
function settledWindow({ archive, window: { from_ns, until_ns } }: Pull, settled_ns: bigint): TimeWindow {
  const end = until_ns < settled_ns ? until_ns : settled_ns;
  if (from_ns < end) return { from_ns, until_ns: end };
  if (from_ns >= until_ns) fail('pull.empty_window', 'the window to pull ends before it begins');
  return fail('pull.empty_window', `nothing of the window is older than ${Number(archive.lag_ns) / 1e9} s yet`, {
    hint: 'records of it may still arrive in the archive: pull it later, or set lag_s of the plan',
  });
}

async function plannedQueries({ archive, selection, opened }: Pull, wanted: Wanted): Promise<PlannedQuery[]> {
  const queries = await archive.queries(selection, wanted.window, wanted.signal);
  const planAll = async (session?: Session) => {
    const present = session ? await presentWindows(session, archive) : new Map<string, TimeWindow[]>();
    const planned: PlannedQuery[] = [];
    for (const query of queries) {
      const one = await planQuery(wanted, query, present.get(query.text) ?? []);
      if (one) planned.push(one);
    }
    return planned;
  };
  return opened ? opened.withSession(planAll) : planAll();
}

type PlanView = Extract<PullEvent, { kind: 'plan' }>['queries'][number];

const planView = ({ query, window, slices, estimate, present_ns }: PlannedQuery): PlanView => ({
  query: query.text,
  format: query.format,
  ...window,
  slices: slices.length,
  ...estimate,
  present: present_ns > 0n ? Number(present_ns) / Number(window.until_ns - window.from_ns) : 0,
});

async function* takeSlice(
  { archive, run, state }: Pull,
  { slice, fetched }: FetchOutcome,
  progress: PullProgress,
): AsyncGenerator<PullEvent, void, void> {
  let problem: Problem | undefined;
  if (isFetched(fetched)) {
    try {
      if (fetched.files.length === 0) return progress.takeNothing();
      const source = sourceOf(archive, slice, fetched.files);
      const importing = importSource(run, { ...source, remaining: 0 }, state);
      let step = await importing.next();
      for (; !step.done; step = await importing.next()) {
        const event = progress.take(step.value, source.bytes);
        if (event) yield event;
      }
      problem = step.value;
    } finally {
      await fetched.discard();
    }
  } else problem = fetched;
  if (problem === undefined) return;
  progress.fail();
  yield { kind: 'problem', query: slice.query.text, ...slice.window, problem };
}

function sourceOf({ kind, address }: Archive, { query, window }: Slice, files: ImportSource['files']): ImportSource {
  const { text, format, name } = query;
  return {
    name: name ?? `${kind} ${formatUtc(nanos(window.from_ns))} ${text.slice(0, 200)}`,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    format,
    files,
    assume: { zone: null, device: null, mapping: null },
    clock_offset_ns: 0n,
    clock_uncertainty_ns: 0n,
    named: true,
    problem: undefined,
    pulled: { archive: address, query: text, ...window },
  };
}

class PullProgress {
  pulled = 0;
  failed = 0;
  failedInRow = 0;
  rows = 0;
  private bytes = 0;
  private readonly began_ms = Date.now();
  private readonly archive: Archive;
  /** Slices to pull; grows where one is cut. */
  count: number;

  constructor(archive: Archive, count: number) {
    this.archive = archive;
    this.count = count;
  }

  get left(): number {
    return this.count - this.pulled - this.failed;
  }

  fail(): void {
    this.failed++;
    this.failedInRow++;
  }

  /** A window in which the archive has no file. */
  takeNothing(): void {
    this.pulled++;
    this.failedInRow = 0;
  }

  /** What is made of an event of the import of a slice. */
  take(event: ImportEvent, bytes: number): PullEvent | undefined {
    if (event.kind !== 'source') return undefined;
    this.pulled++;
    this.failedInRow = 0;
    this.bytes += bytes;
    this.rows += Object.values(event.source.rows).reduce((sum, count) => sum + count, 0);
    return { kind: 'source', source: event.source };
  }

  event(): PullEvent {
    const { count, reason } = this.archive.repeats();
    const done = this.pulled + this.failed;
    const elapsed_s = (Date.now() - this.began_ms) / 1000;
    return {
      kind: 'progress',
      done,
      slices: this.count,
      rows: this.rows,
      bytes: this.bytes,
      repeats: count,
      reason,
      remaining_s: done > 0 ? (elapsed_s / done) * this.left : null,
    };
  }
}
