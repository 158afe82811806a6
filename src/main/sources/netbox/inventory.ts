import type { Item, Reference, Table } from './format.ts';

/** An item and its place in the inventory. */
export interface Entry {
  /** Grows when the same item is reported again. */
  item: Item;
  readonly owner: Entry | undefined;
  readonly number: number;
}

/** Tables of independent records; all others are components of one of them. */
const owners: ReadonlySet<Table> = new Set(['rack', 'device', 'power_panel']);
const components: readonly Table[] = ['power_port', 'power_outlet', 'interface', 'front_port', 'rear_port'];

/**
 * All records of one export, joined: records of the API by number, rows of tables by their names. An item that only
 * other records name (a device without a record) has that name.
 */
export class Inventory {
  private readonly entries = new Map<Table, Entry[]>();
  private readonly byNumber = new Map<string, Entry>();
  private readonly byName = new Map<string, Entry[]>();
  private readonly waiting: Item[] = [];
  private count = 0;

  /** Owners are added at once; components wait for {@link settle}, because files come in any order. */
  add(item: Item): void {
    if (owners.has(item.table)) this.enter(item, undefined);
    else this.waiting.push(item);
  }

  /** Gives every component its owner. @returns components whose device is unknown or shares its name */
  settle(): Item[] {
    const lost: Item[] = [];
    for (const item of this.waiting) {
      if (item.table === 'cable') {
        this.enter(item, undefined);
        continue;
      }
      const owner = this.find(item.owner);
      if (owner || item.table === 'power_feed') this.enter(item, owner);
      else lost.push(item);
    }
    this.waiting.length = 0;
    return lost;
  }

  of(table: Table): readonly Entry[] {
    return this.entries.get(table) ?? [];
  }

  /** Target of a reference; undefined for unknown numbers and for names that several items share. */
  find(reference: Reference | undefined): Entry | undefined {
    if (!reference?.table) return undefined;
    if (reference.table === 'unstated') return this.findAny(reference);
    const { table, id, name } = reference;
    const known = id === '' ? undefined : this.byNumber.get(`${table} ${id}`);
    if (known || name === '') return known;
    const owner = this.find(reference.owner);
    if (!owner && components.includes(table)) return undefined;
    const namesakes = this.namesakes({ ...reference, table }, owner);
    if (namesakes.length > 0) return namesakes.length === 1 ? namesakes[0] : undefined;
    return this.enter(unrecorded({ ...reference, table }), owner);
  }

  /** An end of a cable with only device and name. */
  private findAny(reference: Reference): Entry | undefined {
    const owner = this.find(reference.owner);
    if (!owner) return undefined;
    const found = components.flatMap((table) => this.namesakes({ ...reference, table }, owner));
    return found.length === 1 ? found[0] : undefined;
  }

  /** Candidates of the same name: an unknown number or site matches all. */
  private namesakes(reference: Reference & { readonly table: Table }, owner: Entry | undefined): Entry[] {
    const all = this.byName.get(nameKey(reference.table, owner, reference.name)) ?? [];
    return all.filter(
      ({ item }) =>
        (reference.id === '' || item.id === '' || item.id === reference.id) &&
        (reference.site === '' || item.site === '' || item.site === reference.site),
    );
  }

  private enter(item: Item, owner: Entry | undefined): Entry {
    const same = item.name === '' || item.table === 'cable' ? [] : this.namesakes(item, owner);
    const numbered = item.id === '' ? undefined : this.byNumber.get(`${item.table} ${item.id}`);
    const known = numbered ?? (same.length === 1 ? same[0] : undefined);
    if (known) {
      // The same item again: another page, another export of it, or a name that came before its record.
      known.item = merged(known.item, item);
      if (item.id !== '') this.byNumber.set(`${item.table} ${item.id}`, known);
      return known;
    }
    const entry: Entry = { item, owner, number: this.count++ };
    push(this.entries, item.table, entry);
    if (item.id !== '') this.byNumber.set(`${item.table} ${item.id}`, entry);
    if (item.table !== 'cable') push(this.byName, nameKey(item.table, owner, item.name), entry);
    // References to a feed do not always name its panel.
    if (item.table === 'power_feed' && owner) push(this.byName, nameKey(item.table, undefined, item.name), entry);
    return entry;
  }
}

/** Owners by name alone, components by name within their owner. */
const nameKey = (table: Table, owner: Entry | undefined, name: string): string =>
  `${table} ${owner?.number ?? ''}\n${name}`;

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const unrecorded = (reference: Reference & { readonly table: Table }): Item => ({
  ...reference,
  status: '',
  role: '',
  aliases: [],
  attributes: {},
  position: '',
  cable: '',
  peers: [],
  endpoints: [],
  broken: false,
});

/** Merges two records of one item: non-empty values win. */
const merged = (first: Item, second: Item): Item => ({
  ...first,
  id: first.id || second.id,
  site: first.site || second.site,
  status: first.status || second.status,
  role: first.role || second.role,
  aliases: [...first.aliases, ...second.aliases],
  attributes: { ...second.attributes, ...first.attributes },
  rack: first.rack ?? second.rack,
  parent: first.parent ?? second.parent,
  inlet: first.inlet ?? second.inlet,
  rear: first.rear ?? second.rear,
  position: first.position || second.position,
  cable: first.cable || second.cable,
  peers: first.peers.length > 0 ? first.peers : second.peers,
  endpoints: first.endpoints.length > 0 ? first.endpoints : second.endpoints,
  broken: first.broken || second.broken,
});
