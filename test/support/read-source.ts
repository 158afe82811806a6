import { type ColumnType, type RowBatch, type TableName, type TextColumn, tables } from '../../src/model/rows/rows.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { checkBatch } from './check-batch.ts';
import { type InputOptions, inputOf } from './source-input.ts';

/** One row with every code replaced by what it stands for: entities as `kind:id`, series as JSON text. */
export type Row = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly rows: Readonly<Record<TableName, Row[]>>;
  /** By `kind:id`; aliases as `kind=name`. */
  readonly entities: ReadonlyMap<string, { readonly aliases: readonly string[]; readonly attributes: string }>;
  readonly remarks: readonly string[];
  readonly consumed: readonly number[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textAt({ bytes, offsets }: TextColumn, row: number): string {
  return decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
}

function cell(batch: RowBatch, type: ColumnType, column: unknown, row: number): unknown {
  if (type === 'text') return textAt(column as TextColumn, row);
  const value = (column as Float64Array)[row]!;
  if (type === 'name') return value < 0 ? '' : present(batch.names[value], 'name');
  if (type === 'entity') return value < 0 ? '' : entityName(batch, value);
  if (type === 'resource') return value < 0 ? '' : resourceName(batch, value);
  if (type !== 'series') return value;
  const { entity, resource, ...series } = present(batch.series[value], 'series');
  return JSON.stringify({
    ...series,
    entity: entity < 0 ? '' : entityName(batch, entity),
    resource: resource < 0 ? '' : resourceName(batch, resource),
  });
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`a row points at a ${what} that its batch does not have`);
  return value;
}

const entityName = (batch: RowBatch, index: number): string => {
  const { kind, id } = present(batch.entities[index], 'entity');
  return `${kind}:${id}`;
};

const resourceName = (batch: RowBatch, index: number): string => {
  const { entity, attributes, schema_url } = present(batch.resources[index], 'resource');
  return `${entity < 0 ? '' : entityName(batch, entity)} ${schema_url} ${attributes}`;
};

/** All rows that a source makes of a file, or of a tree of files by path, as {@link addBatch} checks and returns them. */
export async function readSource(
  source: Source,
  content: Parameters<typeof inputOf>[0],
  options: InputOptions = {},
): Promise<Reading> {
  const reading = emptyReading();
  for await (const batch of source.read(inputOf(content, options))) addBatch(reading, batch);
  return { ...reading, remarks: [...reading.remarks] };
}

export interface GrowingReading extends Omit<Reading, 'remarks'> {
  readonly entities: Map<string, { readonly aliases: readonly string[]; readonly attributes: string }>;
  readonly remarks: Set<string>;
  readonly consumed: number[];
}

export const emptyReading = (): GrowingReading => ({
  rows: Object.fromEntries(Object.keys(tables).map((table) => [table, [] as Row[]])) as unknown as Reading['rows'],
  entities: new Map(),
  remarks: new Set(),
  consumed: [],
});

/** Adds the rows of a batch with every reference followed and every JSON text parsed once. Throws when it is invalid. */
export function addBatch({ rows, entities, remarks, consumed }: GrowingReading, batch: RowBatch): void {
  checkBatch(batch);
  consumed.push(batch.consumed_bytes);
  for (const remark of batch.remarks) remarks.add(remark);
  for (const { kind, id, aliases, attributes } of batch.entities) {
    if (attributes !== '') JSON.parse(attributes);
    entities.set(`${kind}:${id}`, { aliases: aliases.map((alias) => `${alias.kind}=${alias.name}`), attributes });
  }
  for (const [table, { count, columns }] of Object.entries(batch.tables)) {
    const types = Object.entries(tables[table as TableName]) as [string, ColumnType][];
    for (let row = 0; row < count; row++) {
      const made = Object.fromEntries(
        types.map(([column, type]) => [column, cell(batch, type, columns[column as never], row)]),
      );
      for (const key of ['attributes', 'detail', 'input_sizes', 'output_sizes'])
        if (made[key]) JSON.parse(made[key] as string);
      rows[table as TableName].push(made);
    }
  }
}

/** Number of rows per table, empty ones left out. */
export const countsOf = ({ rows }: Reading): Record<string, number> =>
  Object.fromEntries(Object.entries(rows).flatMap(([table, list]) => (list.length > 0 ? [[table, list.length]] : [])));

export const reasonsOf = ({ rows }: Reading): string[] => rows.reject.map((row) => String(row.reason));

/** A measured value with its series spelled out: what most tests of importers ask for. */
export interface Sample {
  readonly entity: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly time_ns: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export const samplesOf = ({ rows }: Reading): Sample[] =>
  rows.point.map((row) => {
    const series = JSON.parse(row.series as string) as {
      entity: string;
      metric: string;
      unit: string;
      attributes: string;
    };
    return {
      entity: series.entity,
      metric: series.metric,
      unit: series.unit,
      value: row.value as number,
      time_ns: row.time_ns as bigint,
      attributes: series.attributes === '' ? {} : (JSON.parse(series.attributes) as Record<string, unknown>),
    };
  });
