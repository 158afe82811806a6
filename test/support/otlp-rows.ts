import { openBytes } from '../../src/main/sources/bytes/decompress.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { type ColumnType, type RowBatch, type TableName, type TextColumn, tables } from '../../src/model/rows.ts';
import { DETECT_BYTES, type Source } from '../../src/model/source.ts';

/** One row with every code replaced by what it stands for. */
export type Row = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly rows: Readonly<Record<TableName, Row[]>>;
  /** `kind:id` with aliases. */
  readonly entities: ReadonlyMap<string, { readonly aliases: readonly string[]; readonly attributes: string }>;
  readonly consumed: readonly number[];
}

export async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textAt({ bytes, offsets }: TextColumn, row: number): string {
  return decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
}

function cell(batch: RowBatch, type: ColumnType, column: unknown, row: number): unknown {
  if (type === 'text') return textAt(column as TextColumn, row);
  const value = (column as Float64Array)[row] as number;
  if (type === 'name') return value < 0 ? '' : batch.names[value];
  if (type === 'entity') return value < 0 ? '' : entityName(batch, value);
  if (type === 'resource') return value < 0 ? '' : resourceName(batch, value);
  if (type !== 'series') return value;
  const { entity, resource, ...series } = present(batch.series[value], 'series');
  return JSON.stringify({
    ...series,
    entity: entity < 0 ? '' : entityName(batch, entity),
    resource: resourceName(batch, resource),
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

/** All rows of some bytes, with every reference followed and every JSON text parsed once: the invariants of a batch. */
export async function readRows(source: Source, bytes: Uint8Array, chunk?: number, name = 'hidden'): Promise<Reading> {
  const rows = Object.fromEntries(Object.keys(tables).map((table) => [table, [] as Row[]])) as unknown as Record<
    TableName,
    Row[]
  >;
  const entities = new Map<string, { aliases: string[]; attributes: string }>();
  const consumed: number[] = [];
  for await (const batch of source.read({ name, chunks: openBytes(chunksOf(bytes, chunk)) })) {
    consumed.push(batch.consumed_bytes);
    for (const { kind, id, aliases, attributes } of batch.entities) {
      entities.set(`${kind}:${id}`, { aliases: aliases.map((alias) => `${alias.kind}=${alias.name}`), attributes });
    }
    for (const [table, { count, columns }] of Object.entries(batch.tables)) {
      const types = Object.entries(tables[table as TableName]) as [string, ColumnType][];
      for (let row = 0; row < count; row++) {
        const made = Object.fromEntries(
          types.map(([column, type]) => [column, cell(batch, type, columns[column as never], row)]),
        );
        for (const key of ['attributes', 'detail']) if (made[key]) JSON.parse(made[key] as string);
        rows[table as TableName].push(made);
      }
    }
  }
  return { rows, entities, consumed };
}

/** The first decompressed bytes, as the host hands them to `detect`. */
export async function headOf(bytes: Uint8Array): Promise<Uint8Array> {
  const seen: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of openBytes(chunksOf(bytes))) {
    seen.push(chunk);
    length += chunk.length;
    if (length >= DETECT_BYTES) break;
  }
  return Buffer.concat(seen).subarray(0, DETECT_BYTES);
}

/** The OTLP source that claims the bytes; never both. */
export async function detected(bytes: Uint8Array): Promise<Source | undefined> {
  const head = await headOf(bytes);
  const claims = [otlpJson, otlpProtobuf].filter((source) => source.detect(head));
  if (claims.length > 1) throw new Error('two sources claim the same bytes');
  return claims[0];
}

export async function readDetected(bytes: Uint8Array, chunk?: number): Promise<Reading> {
  const source = await detected(bytes);
  if (!source) throw new Error('no OTLP source claims these bytes');
  return readRows(source, bytes, chunk);
}

export const readJson = (value: unknown): Promise<Reading> =>
  readRows(otlpJson, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

/** Number of rows per table, empty ones left out. */
export const countsOf = ({ rows }: Reading): Record<string, number> =>
  Object.fromEntries(Object.entries(rows).flatMap(([table, list]) => (list.length > 0 ? [[table, list.length]] : [])));

export const reasonsOf = ({ rows }: Reading): string[] => rows.reject.map((row) => String(row.reason));

/** Repeatable pseudo-random numbers in [0, 1): mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
