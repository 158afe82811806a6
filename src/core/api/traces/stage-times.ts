import type { StageFigures, StageSource, Stages, StageView } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { SERVING_MARKS } from '../../../model/telemetry/serving-attributes.ts';
import {
  type MeasuredPart,
  servingStages,
  stageAttributes,
  stageCounters,
  stageHistograms,
  stageKinds,
  stageNames,
  toolNames,
} from '../../../model/telemetry/serving-stages.ts';
import { firstTokenAttributes, tokenEvents } from '../../../model/telemetry/token-marks.ts';
import { stagesOfMeans } from '../../analysis/serving/measured-stages.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createRunQuery } from '../../store/facts/run-query.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';

const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;
/** Days that are compared, and fewest of them that show what an hour of the day is like. */
const MOST_DAYS = 7;
const LEAST_DAYS = 2;
/** Fewer requests show no p99. */
const LEAST_REQUESTS = 20;

export interface TimeRange {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
}

/** One stage of the requests of a service in a time. */
export interface StageTime extends StageFigures {
  /** Canonical. */
  readonly service: number;
  readonly name: string;
  readonly model: string | null;
  readonly stage: StageView['stage'];
  readonly tool: string | null;
  readonly computed: boolean;
}
export type TimesOf = (window: TimeRange) => Promise<StageTime[]>;

interface Asked {
  /** Canonical. */
  readonly services: readonly number[];
  /** One trace of so many is read. */
  readonly share: bigint;
  readonly signal: AbortSignal | undefined;
}

interface SpanRow extends Omit<StageTime, 'refs' | 'model' | 'computed' | 'seconds' | 'tool'> {
  /** '': none. */
  readonly tool: string;
  readonly middle_s: number;
}

const firstTokens = firstTokenAttributes.map((one) => ({ stage: 'first_token', ...one }));

/** Stages as spans of requests show them. @param trace hex id of the one that counts; '': all */
export const spanTimes =
  (session: Session, { services, share, signal }: Asked, trace = ''): TimesOf =>
  async ({ from_ns, to_ns }) => {
    const names = [
      listText(services),
      JSON.stringify(stageNames),
      JSON.stringify([...stageAttributes, ...firstTokens]),
    ];
    const counted = [trace, trace === '' ? share : 1n, JSON.stringify(stageKinds), toolNames.join()];
    const pieces = [JSON.stringify(tokenEvents), SERVING_MARKS];
    const runQuery = createRunQuery(session, signal);
    const rows = await runQuery<SpanRow>(queries.stageTimes, [from_ns, to_ns, ...names, ...counted, ...pieces]);
    return rows.map(({ middle_s, tool, ...row }) => ({
      ...row,
      tool: tool || null,
      seconds: middle_s,
      model: null,
      computed: false,
      refs: [],
    }));
  };

interface PartRow {
  readonly service: number;
  readonly name: string;
  /** '': not stated. */
  readonly model: string;
  readonly part: MeasuredPart;
  readonly requests: number;
  readonly mean_s: number;
  readonly ref: string;
}

const measuring = new Set<string>([...stageHistograms, ...stageCounters].map(({ metric }) => metric));

/** Stages as the metrics of inference servers measure them; a time without a whole collection is that of the collections around it. */
export const metricTimes =
  (session: Session, { services, signal }: Omit<Asked, 'share'>): TimesOf =>
  async ({ from_ns, to_ns }) => {
    // Most cases have none, and to prepare the query costs ten times as much as the list of their metrics.
    const recorded = rowsOf<{ metric: string }>(await session.query(queries.metricNames, [], signal));
    if (!recorded.some(({ metric }) => measuring.has(metric))) return [];
    const metrics = [listText(services), JSON.stringify(stageHistograms), JSON.stringify(stageCounters)];
    const read = async (touching: boolean): Promise<PartRow[]> =>
      rowsOf<PartRow>(await session.query(queries.measuredStages, [from_ns, to_ns, ...metrics, touching], signal));
    const within = await read(false);
    const rows = within.length > 0 ? within : await read(true);
    return [...Map.groupBy(rows, ({ service, model }) => `${service} ${model}`).values()].flatMap((own) => {
      const { service, name, model } = own[0]!;
      const means = new Map(own.map((row) => [row.part, row]));
      return stagesOfMeans(means).map(
        ({ mean_s, ...one }): StageTime => ({
          ...{ service, name, model: model === '' ? null : model, tool: null },
          ...{ ...one, seconds: mean_s, p99_s: null, refs: [...one.refs] },
        }),
      );
    });
  };

interface Before {
  readonly onset_ns: bigint;
  /** Of the recording. */
  readonly first_ns: bigint;
}
export type Baseline = NonNullable<Stages['baseline']> & { readonly rows: readonly StageTime[] };

/** The same hour of the days before, if some were recorded with enough requests; else the hour before, or what there is of it. */
export async function baselineOf(timesOf: TimesOf, { onset_ns, first_ns }: Before): Promise<Baseline | null> {
  const enough = (rows: readonly StageTime[]): boolean => rows.some(({ requests }) => requests >= LEAST_REQUESTS);
  const days: StageTime[][] = [];
  for (let day = 1n; day <= MOST_DAYS; day++) {
    const from_ns = onset_ns - day * DAY_NS;
    if (from_ns < first_ns) break;
    const rows = await timesOf({ from_ns, to_ns: from_ns + HOUR_NS });
    if (enough(rows)) days.push(rows);
  }
  if (days.length >= LEAST_DAYS) {
    const window = { from_ns: onset_ns - DAY_NS, to_ns: onset_ns - DAY_NS + HOUR_NS };
    return { kind: 'hour', days: days.length, ...window, rows: together(days.flat()) };
  }
  const from_ns = onset_ns - HOUR_NS > first_ns ? onset_ns - HOUR_NS : first_ns;
  const window = { from_ns, to_ns: onset_ns - 1n };
  const rows = from_ns < onset_ns ? await timesOf(window) : [];
  return enough(rows) ? { kind: 'before', days: 0, ...window, rows } : null;
}

const keyOf = ({ service, model, stage, tool }: StageTime): string => JSON.stringify([service, model, stage, tool]);

/** Of the same hour on several days: weighted by requests. */
function together(rows: readonly StageTime[]): StageTime[] {
  return [...Map.groupBy(rows, keyOf).values()].flatMap((some) => {
    const [first] = some;
    const requests = some.reduce((sum, one) => sum + one.requests, 0);
    if (!first || requests === 0) return [];
    const mean = (of: (row: StageTime) => number): number =>
      some.reduce((sum, row) => sum + of(row) * row.requests, 0) / requests;
    const p99_s = first.p99_s === null ? null : mean((row) => row.p99_s ?? row.seconds);
    const refs = some.flatMap((one) => one.refs);
    return [{ ...first, requests, seconds: mean(({ seconds }) => seconds), p99_s, refs }];
  });
}

interface Compared {
  readonly source: StageSource;
  /** Of one trace; empty where metrics are the source. */
  readonly own: readonly StageTime[];
  readonly during: readonly StageTime[];
  readonly before: readonly StageTime[];
}

/** Every stage of one trace, or of a time, beside what it was before; by service, model and usual order. */
export function compareStages({ source, own, during, before }: Compared): StageView[] {
  const rows = own.length > 0 ? own : during;
  const figures = (list: readonly StageTime[], row: StageTime): StageFigures | null => {
    const found = list.find((one) => keyOf(one) === keyOf(row));
    if (!found) return null;
    const { requests, seconds, p99_s, refs } = found;
    return { requests, seconds, p99_s, refs };
  };
  return rows
    .map((row) => ({
      ...{ service: row.name, model: row.model, source, stage: row.stage, tool: row.tool, computed: row.computed },
      seconds: own.length > 0 ? row.seconds : null,
      before: figures(before, row),
      during: figures(during, row),
    }))
    .toSorted((a, b) => servingStages.indexOf(a.stage) - servingStages.indexOf(b.stage));
}

/** What is stated of a baseline beside its rows. */
export const aboutBaseline = (baseline: Baseline | null): Stages['baseline'] => {
  if (!baseline) return null;
  const { kind, days, from_ns, to_ns } = baseline;
  return { kind, days, from_ns, to_ns };
};
