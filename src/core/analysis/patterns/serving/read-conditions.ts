import type { Reader } from '../../../store/facts/reader.ts';
import type { ImpactWindow } from '../../impact/impact.ts';
import { conditionsAt } from '../../serving/causes.ts';
import type { ServingCondition } from '../../serving/condition.ts';
import { readServing } from '../../serving/service-series.ts';
import type { EntityGraph } from '../../topology/entity-graph.ts';
import type { GraphsByTime } from '../../topology/graphs-by-time.ts';
import { servingConditions } from './serving-rules.ts';

/** What changed in the serving of models with an impact, strongest first. */
export type ConditionsOf = (window: ImpactWindow, graph: EntityGraph) => readonly ServingCondition[];

/** Nothing is read without impacts. */
export async function readConditions(
  reader: Reader,
  graphs: GraphsByTime,
  windows: readonly ImpactWindow[],
): Promise<ConditionsOf> {
  const last = windows.at(-1);
  const conditions = last ? servingConditions(await readServing(reader, graphs.at(last.end_ns))) : [];
  return (window, graph) => conditionsAt(conditions, window, graph);
}
