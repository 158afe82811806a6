import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import { rankIn } from '../log-record/lift.ts';
import { rankEntity } from './rank.ts';
import { rankOf } from './rank-of.ts';

/**
 * Number of the rank that wrote a log record; -1: it names none.
 * @param attributes of the record and its resource
 * @param machine on which it runs; -1: unknown
 */
export function rankOfRecord(
  builder: BatchBuilder,
  text: string,
  { attributes, machine }: { readonly attributes: Readonly<Record<string, unknown>>; readonly machine: number },
): number {
  const inside = rankIn(text);
  const names = rankOf(inside === undefined ? attributes : { ...attributes, 'gen_ai.training.rank': inside });
  if (!names) return -1;
  const rank = rankEntity(builder, names);
  if (machine >= 0) appendEdge(builder, { from: rank, kind: 'runs_on', to: machine, provenance: 'log' });
  return rank;
}
