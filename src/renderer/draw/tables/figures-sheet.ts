import type { Lane, LaneStatistics } from '../../../model/contract/index.ts';
import { laneWhat } from '../timeline/lane-text.ts';
import { laneEntity } from './row-tree.ts';
import type { Sheet, SheetCell } from './sheet.ts';

/** Statistics of lanes over one window, one row per lane, with unrounded numbers and their unit. */
export const figuresSheet = (lanes: readonly Lane[], figures: ReadonlyMap<string, LaneStatistics>): Sheet => ({
  names: ['lane', 'kind', 'what', 'unit', 'count', 'a second', 'min', 'mean', 'p95', 'max'],
  rows: lanes.map((lane): SheetCell[] => {
    const {
      count = null,
      per_second = null,
      min = null,
      mean = null,
      p95 = null,
      max = null,
    } = figures.get(lane.id) ?? {};
    return [laneEntity(lane), lane.entity_kind, laneWhat(lane), lane.unit, count, per_second, min, mean, p95, max];
  }),
});
