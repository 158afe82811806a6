import { fail } from '../../../model/problem.ts';
import type { ColumnMapping, TableColumns } from '../../../model/storage/source.ts';
import type { Layout } from './layout.ts';

/** What a column can be, and the label that it becomes; '': it is no label. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['time', ''],
  ['value', ''],
  ['metric', ''],
  ['unit', ''],
  ['host', 'hostname'],
  ['gpu', 'gpu'],
  ['gpu_uuid', 'gpu_uuid'],
  ['pod', 'pod'],
  ['namespace', 'namespace'],
  ['node', 'node'],
  ['service', 'service'],
  ['job', 'job'],
]);
const REQUIRED = new Set(['time', 'value']);

/** What columns of samples can be mapped to. */
export const sampleColumns = (header: readonly string[]): TableColumns => ({
  columns: header.map((name) => ({ name, type: 'VARCHAR' })),
  mapping: null,
  targets: { metric: [...TARGETS.keys()].map((name) => ({ name, required: REQUIRED.has(name) })) },
});

/**
 * The layout that the investigator states; columns that are not mapped are labels.
 * @throws ProblemError csv.mapping when a column does not exist, has no such meaning, or time or value is left out
 */
export function mappedLayout({ table, columns }: ColumnMapping, header: readonly string[], file: string): Layout {
  if (table !== 'metric') fail('csv.mapping', `${file} can only be read as a table of samples`, { place: file });
  for (const [target, { column }] of Object.entries(columns)) {
    if (!TARGETS.has(target))
      fail('csv.mapping', `a sample has no "${target}"`, { hint: [...TARGETS.keys()].join(', '), place: file });
    if (!header.includes(column))
      fail('csv.mapping', `${file} has no column "${column}"`, { hint: header.join(', '), place: file });
  }
  const at = (target: string): number => header.indexOf(columns[target]?.column ?? '');
  const value = at('value');
  if (at('time') < 0 || value < 0) fail('csv.mapping', 'the mapping leaves out time or value', { place: file });
  const read = new Set(['time', 'value', 'metric', 'unit'].map(at));
  const labelOf = new Map(
    Object.entries(columns).map(([target, { column }]) => [column, TARGETS.get(target) || column]),
  );
  const name = at('metric') < 0 ? header[value]! : '';
  return {
    time: at('time'),
    timeUnit: columns.time?.unit,
    values: [{ at: value, name, unit: '', labels: new Map() }],
    metric: at('metric'),
    unit: at('unit'),
    measurement: -1,
    field: -1,
    selector: -1,
    labels: header.flatMap((column, i) => (read.has(i) ? [] : [{ at: i, name: labelOf.get(column) ?? column }])),
  };
}
