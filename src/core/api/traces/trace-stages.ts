import type { CallContext, Output, Parsed, StageView } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { servingStages, stageAttributes, stageNames } from '../../../model/telemetry/serving-stages.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader } from '../../store/facts/reader.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { Workspace } from '../workspace.ts';
import { padded } from './trace-group-rows.ts';

const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;
/** Days that are compared, and fewest of them that show what an hour of the day is like. */
const MOST_DAYS = 7;
const LEAST_DAYS = 2;
/** Fewer requests show no p99. */
const LEAST_REQUESTS = 20;

interface StageRow {
  readonly service: number;
  readonly name: string;
  readonly stage: StageView['stage'];
  readonly requests: number;
  readonly middle_s: number;
  readonly p99_s: number;
}

interface Window {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
}

/** Stages of a trace against those of the same services before the incident that it belongs to. */
export const traceStageHandlers = (workspace: Workspace) => ({
  'trace.stages': async (input: Parsed<'trace.stages'>, { signal }: CallContext): Promise<Output<'trace.stages'>> => {
    const opened = workspace.required();
    const { conclusions } = await opened.conclusions();
    const around = conclusions
      .filter(({ window }) => window.onset_earliest_ns <= input.end_ns && window.end_ns >= input.start_ns)
      .map(({ window }) => window);
    return opened.withSession((session) => readStages(session, { input, around, signal }));
  },
});

interface Asked {
  readonly input: Parsed<'trace.stages'>;
  /** Impacts at the time of the trace. */
  readonly around: readonly { readonly service: number; readonly onset_earliest_ns: bigint; readonly end_ns: bigint }[];
  readonly signal: AbortSignal | undefined;
}

async function readStages(session: Session, { input, around, signal }: Asked): Promise<Output<'trace.stages'>> {
  const trace = padded(input.trace_id);
  const rows = rowsOf<{ service: number }>(await session.query(queries.tracePlaces, [trace], signal));
  const services = [...new Set(rows.map(({ service }) => service))];
  const reader = createReader(session, signal);
  const range = await reader.recordedRange();
  const none = { stages: [], baseline: null, incident: null };
  if (!range || services.length === 0) return none;
  const share = await reader.callShare();
  const timesOf = async ({ from_ns, to_ns }: Window, of = ''): Promise<StageRow[]> =>
    rowsOf<StageRow>(
      await session.query(
        queries.stageTimes,
        [
          ...[from_ns, to_ns, listText(services), JSON.stringify(stageNames), JSON.stringify(stageAttributes), of],
          of === '' ? share : 1n,
        ],
        signal,
      ),
    );
  const own = await timesOf({ from_ns: input.start_ns, to_ns: input.end_ns }, trace);
  if (own.length === 0) return none;
  const impacts = around.filter(({ service }) => services.includes(service));
  const onset_ns = impacts.reduce(
    (first, one) => (one.onset_earliest_ns < first ? one.onset_earliest_ns : first),
    input.start_ns,
  );
  const last_ns = impacts.reduce((last, one) => (one.end_ns > last ? one.end_ns : last), onset_ns);
  const during = impacts.length > 0 ? await timesOf({ from_ns: onset_ns, to_ns: last_ns }) : [];
  const baseline = await baselineOf(timesOf, { onset_ns, first_ns: range.from_ns });
  const find = (list: readonly StageRow[], { service, stage }: StageRow) =>
    list.find((one) => one.service === service && one.stage === stage);
  const figures = (row: StageRow | undefined) =>
    row ? { requests: row.requests, middle_s: row.middle_s, p99_s: row.p99_s } : null;
  const stages = own.map((row) => ({
    service: row.name,
    stage: row.stage,
    seconds: row.middle_s,
    before: figures(find(baseline?.rows ?? [], row)),
    during: figures(find(during, row)),
  }));
  stages.sort((a, b) => servingStages.indexOf(a.stage) - servingStages.indexOf(b.stage));
  return {
    stages,
    baseline: baseline && { kind: baseline.kind, days: baseline.days, ...baseline.window },
    incident: impacts.length > 0 ? { from_ns: onset_ns, to_ns: last_ns } : null,
  };
}

interface Before {
  readonly onset_ns: bigint;
  /** Of the recording. */
  readonly first_ns: bigint;
}

/** The same hour of the days before, if some were recorded with enough requests; else the hour before, or what there is of it. */
async function baselineOf(timesOf: (window: Window) => Promise<StageRow[]>, { onset_ns, first_ns }: Before) {
  const enough = (rows: readonly StageRow[]): boolean => rows.some(({ requests }) => requests >= LEAST_REQUESTS);
  const days: StageRow[][] = [];
  for (let day = 1n; day <= MOST_DAYS; day++) {
    const from_ns = onset_ns - day * DAY_NS;
    if (from_ns < first_ns) break;
    const rows = await timesOf({ from_ns, to_ns: from_ns + HOUR_NS });
    if (enough(rows)) days.push(rows);
  }
  if (days.length >= LEAST_DAYS) {
    const window = { from_ns: onset_ns - DAY_NS, to_ns: onset_ns - DAY_NS + HOUR_NS };
    return { kind: 'hour' as const, days: days.length, window, rows: together(days.flat()) };
  }
  const from_ns = onset_ns - HOUR_NS > first_ns ? onset_ns - HOUR_NS : first_ns;
  const window = { from_ns, to_ns: onset_ns - 1n };
  const rows = from_ns < onset_ns ? await timesOf(window) : [];
  return enough(rows) ? { kind: 'before' as const, days: 0, window, rows } : null;
}

/** Of the same hour on several days: weighted by requests. */
function together(rows: readonly StageRow[]): StageRow[] {
  return [...Map.groupBy(rows, ({ service, stage }) => `${service} ${stage}`).values()].flatMap((some) => {
    const [first] = some;
    const requests = some.reduce((sum, one) => sum + one.requests, 0);
    if (!first || requests === 0) return [];
    const mean = (of: (row: StageRow) => number): number =>
      some.reduce((sum, row) => sum + of(row) * row.requests, 0) / requests;
    return [{ ...first, requests, middle_s: mean(({ middle_s }) => middle_s), p99_s: mean(({ p99_s }) => p99_s) }];
  });
}
