import { assert } from '../../base/assert.ts';
import type { Alias, EntityKind } from '../entity.ts';
import { entityKey } from '../entity.ts';
import type { StatedPlace } from '../telemetry/place-attributes.ts';
import { releaseBuffer, takeBuffer } from './buffer-pool.ts';
import {
  type ColumnType,
  type EntityRow,
  type ResourceRow,
  type RowBatch,
  type SeriesRow,
  type TableName,
  type TextColumn,
  tables,
} from './rows.ts';

const encoder = new TextEncoder();

const nothing = new ArrayBuffer(0);

/** A text column under construction; decoders may write UTF-8 bytes straight into it. */
export class TextBuilder {
  bytes = new Uint8Array(nothing);
  length = 0;
  private offsets = new Uint32Array(nothing);
  private count = 0;
  /** What the column before this one needed. */
  private expectedBytes = 1024;
  private expectedRows = 256;

  /** Makes room for `more` bytes and returns the buffer to write into at `length`. */
  reserve(more: number): Uint8Array {
    if (this.length + more > this.bytes.length) {
      const grown = new Uint8Array(takeBuffer(Math.max(this.expectedBytes, this.bytes.length * 2, this.length + more)));
      grown.set(this.bytes.subarray(0, this.length));
      releaseBuffer(this.bytes.buffer);
      this.bytes = grown;
    }
    return this.bytes;
  }

  append(text: string): void {
    // A UTF-16 unit is at most three UTF-8 bytes.
    const target = this.reserve(text.length * 3);
    this.length += encoder.encodeInto(text, target.subarray(this.length)).written;
  }

  appendBytes(bytes: Uint8Array): void {
    this.reserve(bytes.length).set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Ends the current row: what was appended since the last call is its text. */
  endRow(): void {
    this.count++;
    if (this.count >= this.offsets.length) this.growOffsets();
    this.offsets[this.count] = this.length;
  }

  private growOffsets(): void {
    const rows = Math.max(this.expectedRows, this.offsets.length * 2);
    const grown = new Uint32Array(takeBuffer(rows * 4));
    grown.set(this.offsets.subarray(0, this.count + 1));
    grown[0] = 0;
    releaseBuffer(this.offsets.buffer);
    this.offsets = grown;
  }

  /** Appends all rows of another text column. */
  appendRows({ bytes, offsets }: TextColumn): void {
    const rows = offsets.length - 1;
    const start = offsets[0]!;
    const shift = this.length - start;
    this.appendBytes(bytes.subarray(start, offsets[rows]));
    while (this.count + rows >= this.offsets.length) this.growOffsets();
    for (let row = 1; row <= rows; row++) this.offsets[++this.count] = offsets[row]! + shift;
  }

  /** Forgets every row from `count` on, and what was appended to a row that was not ended. */
  truncate(count: number): void {
    this.count = Math.min(this.count, count);
    this.length = this.count === 0 ? 0 : this.offsets[this.count]!;
  }

  /** Hands the column over and starts an empty one. */
  finish(): TextColumn {
    if (this.offsets.length === 0) this.growOffsets();
    const column = {
      bytes: this.bytes.subarray(0, this.length),
      offsets: this.offsets.subarray(0, this.count + 1),
    };
    this.expectedBytes = Math.max(1024, this.bytes.length);
    this.expectedRows = this.offsets.length;
    this.bytes = new Uint8Array(nothing);
    this.offsets = new Uint32Array(nothing);
    this.length = 0;
    this.count = 0;
    return column;
  }
}

type NumberColumn = Uint8Array | Uint32Array | Int32Array | Float64Array | BigInt64Array | BigUint64Array;
const arrayFor = (type: Exclude<ColumnType, 'text'>, size: number): NumberColumn => {
  const buffer = (width: number): ArrayBuffer => (size === 0 ? nothing : takeBuffer(size * width));
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer(1));
    case 'u32':
      return new Uint32Array(buffer(4));
    case 'i64':
      return new BigInt64Array(buffer(8));
    case 'u64':
      return new BigUint64Array(buffer(8));
    case 'f64':
      return new Float64Array(buffer(8));
    default:
      return new Int32Array(buffer(4));
  }
};

type BuilderColumn<C> = C extends 'u8'
  ? Uint8Array
  : C extends 'u32'
    ? Uint32Array
    : C extends 'i64'
      ? BigInt64Array
      : C extends 'u64'
        ? BigUint64Array
        : C extends 'f64'
          ? Float64Array
          : C extends 'text'
            ? TextBuilder
            : Int32Array;
type BuilderColumns<T extends TableName> = {
  -readonly [C in keyof (typeof tables)[T]]: BuilderColumn<(typeof tables)[T][C]>;
};

/**
 * One table of a batch under construction. The hot-path protocol is: `const row = table.next()`, assign
 * `table.columns.x[row]` for every number, append to and `endRow()` every text column.
 */
export class TableBuilder<T extends TableName> {
  readonly columns: BuilderColumns<T>;
  count = 0;
  private capacity = 0;
  private expectedRows = 1024;
  private readonly types: readonly (readonly [string, ColumnType])[];

  readonly name: T;

  constructor(name: T) {
    this.name = name;
    this.types = Object.entries(tables[name]) as [string, ColumnType][];
    const columns: Record<string, unknown> = {};
    for (const [column, type] of this.types) columns[column] = type === 'text' ? new TextBuilder() : arrayFor(type, 0);
    this.columns = columns as BuilderColumns<T>;
  }

  next(): number {
    if (this.count === this.capacity) this.grow();
    return this.count++;
  }

  /** Takes back every row from `count` on: how a decoder drops a record that turned out bad half way. */
  truncate(count: number): void {
    this.count = Math.min(this.count, count);
    for (const column of Object.values(this.columns)) if (column instanceof TextBuilder) column.truncate(this.count);
  }

  private grow(): void {
    this.capacity = Math.max(this.expectedRows, this.capacity * 2);
    const columns = this.columns as Record<string, NumberColumn | TextBuilder>;
    for (const [column, type] of this.types) {
      if (type === 'text') continue;
      const grown = arrayFor(type, this.capacity);
      const before = columns[column] as NumberColumn;
      (grown as Float64Array).set(before as Float64Array);
      releaseBuffer(before.buffer as ArrayBuffer);
      columns[column] = grown;
    }
  }

  /** The convenient path for small sources: one row as an object; text '' is NULL. */
  push(
    row: {
      readonly [C in keyof (typeof tables)[T]]: BuilderColumn<(typeof tables)[T][C]> extends TextBuilder
        ? string
        : BuilderColumn<(typeof tables)[T][C]>[number & keyof BuilderColumn<(typeof tables)[T][C]>];
    },
  ): void {
    const index = this.next();
    const columns = this.columns as Record<string, NumberColumn | TextBuilder>;
    for (const [column, type] of this.types) {
      const value = (row as Record<string, unknown>)[column];
      const target = columns[column];
      if (type === 'text') {
        (target as TextBuilder).append(value as string);
        (target as TextBuilder).endRow();
      } else (target as Float64Array)[index] = value as number;
    }
  }

  /** Appends `count` rows given as columns. */
  pushColumns(columns: Readonly<Record<string, NumberColumn | TextColumn>>, count: number): void {
    while (this.count + count > this.capacity) this.grow();
    const targets = this.columns as Record<string, NumberColumn | TextBuilder>;
    for (const [column, type] of this.types) {
      const values = columns[column];
      assert(values !== undefined, `${this.name}.${column} is missing`);
      if (type === 'text') (targets[column] as TextBuilder).appendRows(values as TextColumn);
      else (targets[column] as Float64Array).set(values as Float64Array, this.count);
    }
    this.count += count;
  }

  /** Hands the rows over and starts an empty table. */
  finish(): { readonly count: number; readonly columns: never } {
    const columns = this.columns as Record<string, NumberColumn | TextBuilder>;
    const finished: Record<string, NumberColumn | TextColumn> = {};
    for (const [column, type] of this.types) {
      const source = columns[column];
      if (type === 'text') {
        const text = (source as TextBuilder).finish();
        assert(text.offsets.length === this.count + 1, `${this.name}.${column}: endRow() not called once per row`);
        finished[column] = text;
      } else {
        finished[column] = (source as NumberColumn).subarray(0, this.count);
        columns[column] = arrayFor(type, 0);
      }
    }
    const { count } = this;
    this.expectedRows = Math.max(this.expectedRows, this.capacity);
    this.capacity = 0;
    this.count = 0;
    return { count, columns: finished as never };
  }
}

/** Maximum size of a numbering before it restarts: names without end must not fill a thread's memory. */
const MOST_NUMBERED = 200_000;

/**
 * Collects the rows of one batch and numbers the names, entities, resources and series they mention: for each batch anew,
 * or, given the name of a numbering, once. To name 2,000 series in every batch of 20,000 points, to copy them to another
 * thread and to look them up there takes a third of the time of reading points.
 */
export class BatchBuilder {
  /** Moves on whenever the numbers that were given mean nothing any more. */
  epoch = 0;
  private readonly numbering: string;
  private names = new Map<string, number>();
  private newNames: string[] = [];
  private entityIndex = new Map<string, number>();
  private entities: { kind: EntityKind; id: string; aliases: Alias[]; attributes: string }[] = [];
  private resources = new Map<string, number>();
  private newResources: ResourceRow[] = [];
  private seriesIndex = new Map<string, number>();
  private newSeries: SeriesRow[] = [];
  /** How many entities have left with a batch. */
  private sentEntities = 0;
  private remarks = new Set<string>();
  private logPlaces: Map<string, StatedPlace> | undefined;
  private readonly builders = new Map<TableName, TableBuilder<TableName>>();

  /** @param numbering unlike that of any other builder of the same import; '': every batch is numbered by itself */
  constructor(numbering = '') {
    this.numbering = numbering;
  }

  table<T extends TableName>(name: T): TableBuilder<T> {
    let builder = this.builders.get(name);
    if (!builder) {
      builder = new TableBuilder(name) as unknown as TableBuilder<TableName>;
      this.builders.set(name, builder);
    }
    return builder as unknown as TableBuilder<T>;
  }

  /** Code of a repeated text; '' is -1, which the store keeps as NULL. */
  name(text: string): number {
    if (text === '') return -1;
    let code = this.names.get(text);
    if (code === undefined) {
      code = this.names.size;
      this.names.set(text, code);
      this.newNames.push(text);
    }
    return code;
  }

  /** Mentions an entity; later mentions add aliases, and attributes when there were none. */
  entity(kind: EntityKind, id: string, aliases: readonly Alias[] = [], attributes = ''): number {
    const key = entityKey(kind, id);
    const index = this.entityIndex.get(key);
    if (index === undefined) return this.addEntity(key, { kind, id, aliases: [...aliases], attributes });
    const known = this.entities[index] as { aliases: Alias[]; attributes: string };
    const others = aliases.filter((one) => !known.aliases.some((a) => a.kind === one.kind && a.name === one.name));
    const mergedAttributes = known.attributes === '' ? attributes : known.attributes;
    if (others.length === 0 && mergedAttributes === known.attributes) return index;
    // Dropped items are sent again, under another number.
    if (index < this.sentEntities)
      return this.addEntity(key, { kind, id, aliases: [...known.aliases, ...others], attributes: mergedAttributes });
    known.aliases.push(...others);
    known.attributes = mergedAttributes;
    return index;
  }

  private addEntity(key: string, entity: (typeof this.entities)[number]): number {
    const index = this.entities.push(entity) - 1;
    this.entityIndex.set(key, index);
    return index;
  }

  resource(row: ResourceRow): number {
    const key = `${row.entity}\n${row.schema_url}\n${row.attributes}`;
    let index = this.resources.get(key);
    if (index === undefined) {
      index = this.resources.size;
      this.resources.set(key, index);
      this.newResources.push(row);
    }
    return index;
  }

  series(row: SeriesRow): number {
    const key = `${row.metric}\n${row.kind}\n${row.entity}\n${row.resource}\n${row.temporality}\n${row.unit}\n${row.attributes}`;
    let index = this.seriesIndex.get(key);
    if (index === undefined) {
      index = this.seriesIndex.size;
      this.seriesIndex.set(key, index);
      this.newSeries.push(row);
    }
    return index;
  }

  /** Adds a remark on assumptions for missing metadata, or on intentional omissions. */
  remark(text: string): void {
    this.remarks.add(text);
  }

  /** To be called once by a reader that notes the places of all its log records. */
  notesLogPlaces(): void {
    this.logPlaces = new Map();
  }

  /** A place that a log record of this batch names in its own attributes. */
  logPlace(place: StatedPlace): void {
    this.logPlaces?.set(JSON.stringify([place.resource, place.attributes]), place);
  }

  reject(file: string, at: number, reason: string, excerpt = ''): void {
    this.table('reject').push({ file, at: BigInt(at), reason, excerpt: excerpt.slice(0, 500) });
  }

  get rowCount(): number {
    let sum = 0;
    for (const builder of this.builders.values()) sum += builder.count;
    return sum;
  }

  /** Hands the batch over and starts an empty one. */
  finish(consumedBytes: number): RowBatch {
    const finished: Record<string, unknown> = {};
    for (const [name, builder] of this.builders) if (builder.count > 0) finished[name] = builder.finish();
    const batch: RowBatch = {
      numbering: this.numbering === '' ? '' : `${this.numbering}.${this.epoch}`,
      names: this.newNames,
      entities: this.entities.slice(this.sentEntities) satisfies EntityRow[],
      resources: this.newResources,
      series: this.newSeries,
      tables: finished,
      remarks: [...this.remarks],
      consumed_bytes: consumedBytes,
      ...(this.logPlaces && { log_places: [...this.logPlaces.values()] }),
    };
    this.remarks = new Set();
    this.logPlaces?.clear();
    this.newNames = [];
    this.newResources = [];
    this.newSeries = [];
    this.sentEntities = this.entities.length;
    const numbered = this.names.size + this.entities.length + this.resources.size + this.seriesIndex.size;
    if (this.numbering === '' || numbered > MOST_NUMBERED) this.forget();
    return batch;
  }

  private forget(): void {
    this.epoch++;
    this.names = new Map();
    this.entityIndex = new Map();
    this.entities = [];
    this.sentEntities = 0;
    this.resources = new Map();
    this.seriesIndex = new Map();
  }
}
