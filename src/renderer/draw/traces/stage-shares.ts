import type { StageSource, StageView } from '../../../model/contract/index.ts';
import { type ServingStage, servingStages } from '../../../model/telemetry/serving-stages.ts';

export type StageRow = 'own' | 'during' | 'before';

/** Stages of a request of one service and model beside each other, in their usual order. */
export interface StageShares {
  readonly service: string;
  readonly model: string | null;
  readonly source: StageSource;
  readonly row: StageRow;
  readonly total_s: number;
  /** `left` and `width` in percent of the longest row of all services. */
  readonly parts: readonly {
    readonly stage: ServingStage;
    readonly tool: string | null;
    readonly seconds: number;
    /** Of the stages of this row together, percent. */
    readonly share: number;
    readonly left: number;
    readonly width: number;
  }[];
}

const secondsOf: Readonly<Record<StageRow, (stage: StageView) => number | undefined>> = {
  own: ({ seconds }) => seconds ?? undefined,
  during: ({ during }) => during?.seconds,
  before: ({ before }) => before?.seconds,
};

/**
 * How the time of a request is split between its stages: of this trace, and of each stage in the incident and before it (medians of requests, or
 * means of all of them). A row in which a stage has no figure is left out, because its bar would be too short.
 */
export function stageShares(stages: readonly StageView[]): StageShares[] {
  const groups = Map.groupBy(stages, ({ service, model }) => JSON.stringify([service, model]));
  const rows = [...groups.values()].flatMap((own) => {
    const { service, model, source } = own[0]!;
    const inOrder = own.toSorted((a, b) => servingStages.indexOf(a.stage) - servingStages.indexOf(b.stage));
    return (['own', 'during', 'before'] as const).flatMap((row) => {
      const times = inOrder.map((one) => secondsOf[row](one));
      const known = times.filter((seconds) => seconds !== undefined);
      if (known.length < times.length) return [];
      const names = inOrder.map(({ stage, tool }) => ({ stage, tool }));
      return [{ service, model, source, row, stages: names, times: known, total_s: sum(known) }];
    });
  });
  const longest = Math.max(...rows.map(({ total_s }) => total_s), Number.MIN_VALUE);
  return rows.map(({ times, stages: names, ...row }) => ({
    ...row,
    parts: names.map((name, at) => ({
      ...name,
      seconds: times[at]!,
      share: row.total_s > 0 ? (100 * times[at]!) / row.total_s : 0,
      left: (100 * sum(times.slice(0, at))) / longest,
      width: (100 * times[at]!) / longest,
    })),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
