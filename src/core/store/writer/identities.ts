import { jsonMembers } from '../../../base/json-members.ts';
import { type Alias, entityKey } from '../../../model/entity.ts';
import type { EntityRow, ResourceRow, RowBatch, SeriesRow, TextColumn } from '../../../model/rows/rows.ts';
import type { AppendColumn, Session } from '../../../model/storage/engine.ts';
import { type NextNumbers, nextNumbers } from './next-numbers.ts';

const encoder = new TextEncoder();

/** Text column of a few rows; the hot paths build theirs in place instead. */
export function textColumn(texts: readonly string[]): AppendColumn {
  const parts = texts.map((text) => encoder.encode(text));
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i]! + part.length;
  });
  const bytes = new Uint8Array(offsets[parts.length]!);
  parts.forEach((part, i) => {
    bytes.set(part, offsets[i]);
  });
  return { type: 'text', values: { bytes, offsets } satisfies TextColumn };
}
const integers = (values: readonly number[]): AppendColumn => ({ type: 'i32', values: Int32Array.from(values) });
const codes = (values: readonly number[]): AppendColumn => ({ type: 'code', values: Int32Array.from(values) });

interface Pending {
  names: [number, string][];
  entities: [number, EntityRow][];
  /** Of entities that another record had named without some of these. */
  attributes: Map<number, string>;
  aliases: [number, Alias][];
  resources: [number, number, ResourceRow][];
  series: [number, number, number, SeriesRow][];
}
const nothing = (): Pending => ({
  names: [],
  entities: [],
  attributes: new Map(),
  aliases: [],
  resources: [],
  series: [],
});

/** $1: JSON object of the attributes by number of the entity. */
const ADD_ATTRIBUTES = `update entity set attributes = a.value ->> '$' from json_each($1::json) a where entity_id = a.key::integer`;

/** How a numbering of batches maps onto the case's: place in its lists -> id in the case. */
export interface Remap {
  readonly name: Int32Array;
  readonly entity: Int32Array;
  readonly resource: Int32Array;
  readonly series: Int32Array;
}

/** Numbers of the case, in the order in which a numbering has named them. */
class AssignedIds {
  private ids = new Int32Array(64);
  private count = 0;

  push(id: number): void {
    if (this.count === this.ids.length) {
      const grown = new Int32Array(this.count * 2);
      grown.set(this.ids);
      this.ids = grown;
    }
    this.ids[this.count++] = id;
  }

  /** -1 stays: none. */
  of(place: number): number {
    return place < 0 ? -1 : this.ids[place]!;
  }

  all(): Int32Array {
    return this.ids.subarray(0, this.count);
  }
}
type Numbering = { readonly [Kind in keyof Remap]: AssignedIds };

/**
 * The numbers that the case has already given to names, entities, resources and series. Loaded once per
 * import, extended in memory, and written in the same transaction as the rows that use them.
 */
export class Identities {
  private readonly names = new Map<string, number>();
  private readonly entities = new Map<string, number>();
  /** JSON object text by entity, where records state any. */
  private readonly attributes = new Map<number, string>();
  private readonly aliases = new Map<string, number>();
  private readonly resources = new Map<string, number>();
  private readonly series = new Map<string, number>();
  /** The next free number of each. */
  private readonly next = new Map<ReadonlyMap<string, number>, number>();
  private pending = nothing();
  /** Of the import that is under way. */
  private readonly numberings = new Map<string, Numbering>();

  /** @param next as `nextNumbers` answers in this transaction */
  static async load(session: Session, next?: NextNumbers): Promise<Identities> {
    const known = new Identities();
    const { name, entity, resource, series } = next ?? (await nextNumbers(session));
    known.next.set(known.names, name).set(known.entities, entity);
    known.next.set(known.resources, resource).set(known.series, series);
    // A new case has none.
    if (name + entity + resource + series === 0) return known;
    const fill = async <K, V>(target: Map<K, V>, sql: string): Promise<void> => {
      const { columns, count } = await session.query(sql);
      for (let i = 0; i < count; i++) target.set(columns[0]?.[i] as K, columns[1]?.[i] as V);
    };
    await fill(known.names, 'select text, name_id from name');
    await fill(known.entities, "select kind || ':' || id, entity_id from entity");
    await fill(known.attributes, 'select entity_id, attributes from entity where attributes is not null');
    await fill(known.aliases, "select concat_ws('\n', entity_id, kind, name), entity_id from alias");
    await fill(
      known.resources,
      "select concat(coalesce(entity, -1), '\n', schema_url, '\n', attributes), resource_id from resource",
    );
    await fill(
      known.series,
      `select concat(metric, '\n', kind, '\n', coalesce(entity, -1), '\n', coalesce(resource, -1), '\n',
         temporality, '\n', unit, '\n', attributes), series_id from series`,
    );
    return known;
  }

  /** Whether the case has exactly these: no other writer has assigned numbers, and those given here were kept. */
  async areOf(session: Session): Promise<boolean> {
    const dictionaries = [this.names, this.entities, this.aliases, this.resources, this.series];
    const counts = ['name', 'entity', 'alias', 'resource', 'series'].map(
      (table, i) => `select ${i}::integer as place, count(*)::integer as known from ${table}`,
    );
    // One list: as values of one row it takes twice as long to plan.
    const { columns } = await session.query(`${counts.join(' union all ')} order by place`);
    return dictionaries.every((known, i) => known.size === columns[1]?.[i]);
  }

  /** Whether entities or aliases wait to be written. */
  get hasNewEntities(): boolean {
    return this.pending.entities.length > 0 || this.pending.aliases.length > 0;
  }

  /** JSON object text of the attributes of each resource, by its number; '' where there are none. */
  resourceAttributes(): ReadonlyMap<number, string> {
    return new Map([...this.resources].map(([key, id]) => [id, key.split('\n').slice(2).join('\n')]));
  }

  name(text: string): number {
    return this.assign(this.names, text, (id) => this.pending.names.push([id, text]));
  }

  /** Numbers everything a batch mentions that those before with its numbering did not; new ones wait for {@link flush}. */
  remap({ numbering, names, entities, resources, series }: RowBatch): Remap {
    const assigned = this.numberingOf(numbering);
    for (const text of names) assigned.name.push(this.name(text));
    for (const row of entities) assigned.entity.push(this.entity(row));
    for (const row of resources) {
      const owner = assigned.entity.of(row.entity);
      const key = `${owner}\n${row.schema_url}\n${row.attributes}`;
      assigned.resource.push(this.assign(this.resources, key, (id) => this.pending.resources.push([id, owner, row])));
    }
    for (const row of series) {
      const owner = assigned.entity.of(row.entity);
      const from = assigned.resource.of(row.resource);
      const key = `${row.metric}\n${row.kind}\n${owner}\n${from}\n${row.temporality}\n${row.unit}\n${row.attributes}`;
      assigned.series.push(this.assign(this.series, key, (id) => this.pending.series.push([id, owner, from, row])));
    }
    const { name, entity, resource, series: all } = assigned;
    return { name: name.all(), entity: entity.all(), resource: resource.all(), series: all.all() };
  }

  private numberingOf(numbering: string): Numbering {
    const known = this.numberings.get(numbering);
    if (known && numbering !== '') return known;
    const fresh = {
      name: new AssignedIds(),
      entity: new AssignedIds(),
      resource: new AssignedIds(),
      series: new AssignedIds(),
    };
    if (numbering !== '') this.numberings.set(numbering, fresh);
    return fresh;
  }

  private entity(row: EntityRow): number {
    const id = this.assign(this.entities, entityKey(row.kind, row.id), (fresh) =>
      this.pending.entities.push([fresh, row]),
    );
    this.addAttributes(id, row.attributes);
    for (const alias of row.aliases) {
      const key = `${id}\n${alias.kind}\n${alias.name}`;
      if (this.aliases.has(key)) continue;
      this.aliases.set(key, id);
      this.pending.aliases.push([id, alias]);
    }
    return id;
  }

  /** What any record states of an entity is known of it; where two differ, the first stays. */
  private addAttributes(id: number, stated: string): void {
    const known = this.attributes.get(id);
    if (stated === '' || stated === known) return;
    const before = jsonMembers(known ?? '');
    const all = { ...jsonMembers(stated), ...before };
    if (known !== undefined && Object.keys(all).length === Object.keys(before).length) return;
    const text = known === undefined ? stated : JSON.stringify(all);
    this.attributes.set(id, text);
    this.pending.attributes.set(id, text);
  }

  private assign(known: Map<string, number>, key: string, fresh: (id: number) => void): number {
    const found = known.get(key);
    if (found !== undefined) return found;
    const id = this.next.get(known) ?? 0;
    this.next.set(known, id + 1);
    known.set(key, id);
    fresh(id);
    return id;
  }

  /** Writes what is new. Must run before the rows that refer to it are committed. */
  async flush(session: Session, sourceId: number): Promise<void> {
    const { names, entities, attributes, aliases, resources, series } = this.pending;
    const fresh = new Set(entities.map(([id]) => id));
    const added = [...attributes].filter(([id]) => !fresh.has(id));
    this.pending = nothing();
    this.numberings.clear();
    const source: AppendColumn = { type: 'constant', value: sourceId };
    await session.append('name', [integers(names.map((n) => n[0])), textColumn(names.map((n) => n[1]))], names.length);
    await session.append(
      'entity',
      [
        integers(entities.map((e) => e[0])),
        source,
        textColumn(entities.map((e) => e[1].kind)),
        textColumn(entities.map((e) => e[1].id)),
        textColumn(entities.map((e) => attributes.get(e[0]) ?? '')),
      ],
      entities.length,
    );
    if (added.length > 0) await session.query(ADD_ATTRIBUTES, [JSON.stringify(Object.fromEntries(added))]);
    await session.append(
      'alias',
      [
        integers(aliases.map((a) => a[0])),
        source,
        textColumn(aliases.map((a) => a[1].kind)),
        textColumn(aliases.map((a) => a[1].name)),
      ],
      aliases.length,
    );
    await session.append(
      'resource',
      [
        integers(resources.map((r) => r[0])),
        source,
        codes(resources.map((r) => r[1])),
        textColumn(resources.map((r) => r[2].attributes)),
        textColumn(resources.map((r) => r[2].schema_url)),
      ],
      resources.length,
    );
    await this.flushSeries(session, source, series);
  }

  private async flushSeries(session: Session, source: AppendColumn, series: Pending['series']): Promise<void> {
    await session.append(
      'series',
      [
        integers(series.map((s) => s[0])),
        source,
        textColumn(series.map((s) => s[3].metric)),
        textColumn(series.map((s) => s[3].kind)),
        codes(series.map((s) => s[1])),
        codes(series.map((s) => s[2])),
        textColumn(series.map((s) => s[3].unit)),
        textColumn(series.map((s) => s[3].description)),
        integers(series.map((s) => s[3].temporality)),
        { type: 'u8', values: Uint8Array.from(series, (s) => (s[3].monotonic ? 1 : 0)) },
        textColumn(series.map((s) => s[3].attributes)),
      ],
      series.length,
    );
  }
}
