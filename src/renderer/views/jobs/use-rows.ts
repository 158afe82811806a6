import { useMemo } from 'react';
import type { JobHeat, JobView } from '../../../model/contract/index.ts';
import { heatRange } from '../../draw/timeline/heat-map.ts';
import { selectEntity, useFocus } from '../../state/focus.ts';
import { type JobColour, useJobChoice } from '../../state/job-choice.ts';

/** The rows of a job: their colours, order and selection. */
export interface JobRows {
  readonly colour: JobColour;
  /** Row by row; NaN: not recorded; Infinity: no step was completed. */
  readonly values: Float64Array;
  readonly range: readonly [number, number];
  readonly entities: readonly string[];
  readonly order: readonly number[];
  readonly selected: number;
  readonly taken: ReadonlySet<number>;
  readonly select: (row: number) => void;
}

/** Of the tables about a job. */
export interface JobTablesProps {
  readonly job: JobView;
  readonly heat: JobHeat;
  readonly rows: JobRows;
}

/** Less than the usual noise of steps must not look like a difference. */
const RELATIVE: readonly [number, number] = [0.5, 1.5];

export function useRows(heat: JobHeat): JobRows {
  const wanted = useJobChoice((choice) => choice.colour);
  const order = useJobChoice((choice) => choice.order);
  const row = useJobChoice((choice) => choice.row);
  const focused = useFocus((focus) => focus.entities);
  const colour: JobColour = heat.measure === 'wait' ? 'wait' : wanted === 'step' ? 'step' : 'relative';
  const values = useMemo(() => (colour === 'relative' ? relativeTo(heat) : heat.values), [heat, colour]);
  const range = useMemo(() => rangeOf(values, colour), [values, colour]);
  const entities = useMemo(() => heat.ranks.map(({ entity }) => entity), [heat]);
  const places = useMemo(() => orderOf(heat, values, order), [heat, values, order]);
  const [selected, taken] = useMemo(() => {
    const inFocus = [...entities.keys()].filter((at) => focused.includes(entities[at]!));
    const chosen = inFocus.find((at) => heat.ranks[at]!.name === row) ?? inFocus[0] ?? -1;
    // Rows of one service are not several selected ranks.
    const isOne = new Set(inFocus.map((at) => entities[at])).size <= 1;
    return [chosen, new Set(isOne && chosen >= 0 ? [chosen] : inFocus)] as const;
  }, [heat, entities, focused, row]);
  const select = (at: number): void => {
    useJobChoice.setState({ row: heat.ranks[at]?.name ?? null });
    selectEntity(entities[at] ?? null);
  };
  return { colour, values, range, entities, order: places, selected, taken, select };
}

const relativeTo = ({ values, usual, buckets }: JobHeat): Float64Array =>
  values.map((value, at) => (value === Number.POSITIVE_INFINITY ? value : value / usual[at % buckets]!));

function rangeOf(values: Float64Array, colour: JobColour): readonly [number, number] {
  if (colour === 'wait') return [0, 1];
  const [low, high] = heatRange(values);
  return colour === 'step' ? [Math.max(0, low), high] : [Math.min(RELATIVE[0], low), Math.max(RELATIVE[1], high)];
}

/** The slowest first; of waits the least: who comes last waits least. Rows without values are last. */
function orderOf(
  { ranks, buckets, measure }: JobHeat,
  values: Float64Array,
  order: 'rank' | 'slowest',
): readonly number[] {
  const all = [...ranks.keys()];
  if (order === 'rank') return all;
  const means = all.map((row) => {
    const known = values.subarray(row * buckets, (row + 1) * buckets).filter((value) => Number.isFinite(value));
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return Number.isNaN(mean) ? Number.NEGATIVE_INFINITY : measure === 'wait' ? -mean : mean;
  });
  return all.sort((a, b) => (means[a] === means[b] ? a - b : means[b]! - means[a]!));
}
