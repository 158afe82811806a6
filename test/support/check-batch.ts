import { entityKinds } from '../../src/model/entity.ts';
import {
  type ColumnType,
  type RowBatch,
  seriesKinds,
  type TableName,
  type TextColumn,
  tables,
} from '../../src/model/rows/rows.ts';

/** Throws unless every column has one value per row and every list points into the others. */
export function checkBatch(batch: RowBatch): void {
  for (const [table, { count, columns }] of Object.entries(batch.tables))
    for (const [column, type] of Object.entries(tables[table as TableName]) as [string, ColumnType][]) {
      const values: unknown = columns[column as never];
      const what = `${table}.${column}`;
      if (type === 'text') checkText(values as TextColumn, count, what);
      else must((values as Float64Array).length === count, `${what} has one value per row`);
    }
  const pointsInto = (index: number, list: readonly unknown[]) =>
    Number.isInteger(index) && index >= -1 && index < list.length;
  for (const { kind, id } of batch.entities)
    must(entityKinds.includes(kind) && id !== '', `an entity is ${kind}:${id}`);
  for (const { entity } of batch.resources) must(pointsInto(entity, batch.entities), 'a resource’s entity');
  for (const { metric, entity, resource, kind, temporality } of batch.series) {
    must(pointsInto(entity, batch.entities) && pointsInto(resource, batch.resources), 'a series’ entity and resource');
    must(
      metric !== '' && seriesKinds.includes(kind) && [0, 1, 2].includes(temporality),
      `a series is ${kind}, ${temporality}`,
    );
  }
  must(batch.consumed_bytes >= 0, 'consumed bytes');
}

function checkText({ bytes, offsets }: TextColumn, count: number, what: string): void {
  must(offsets.length === count + 1 && offsets[0] === 0 && offsets[count] === bytes.length, `${what} covers its bytes`);
  for (let row = 0; row < count; row++) must(offsets[row]! <= offsets[row + 1]!, `${what} has growing offsets`);
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`invalid batch: ${what}`);
}
