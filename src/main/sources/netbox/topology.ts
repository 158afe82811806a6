import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { deviceKind } from './device-kind.ts';
import type { Table } from './format.ts';
import type { Entry, Inventory } from './inventory.ts';
import { isAbsent, type Link } from './paths.ts';

/** Tables that supply power, and tables that consume it. */
const sourceTables: ReadonlySet<Table> = new Set(['power_feed', 'power_outlet']);

/** Entries as entities, and their relations as edges, each written once. */
export class Topology {
  private readonly builder: BatchBuilder;
  private readonly inventory: Inventory;
  private readonly names = new Map<number, string>();
  private readonly ambiguous = new Set<number>();
  private readonly withOutlets: ReadonlySet<Entry | undefined>;
  private readonly withInlets: ReadonlySet<Entry | undefined>;
  private readonly emitted = new Set<string>();
  /** Links between items that cannot be linked, by kind. */
  readonly odd = new Map<string, number>();

  constructor(builder: BatchBuilder, inventory: Inventory) {
    this.builder = builder;
    this.inventory = inventory;
    // Racks and chassis that only other records name get names, too.
    for (const { item } of inventory.of('device')) for (const one of [item.rack, item.parent]) inventory.find(one);
    this.withOutlets = new Set(inventory.of('power_outlet').map(({ owner }) => owner));
    this.withInlets = new Set(inventory.of('power_port').map(({ owner }) => owner));
    for (const table of ['rack', 'device', 'power_panel'] as const) this.nameOwners(inventory.of(table));
  }

  /** Names are unique within a site; across sites the site is the prefix. */
  private nameOwners(entries: readonly Entry[]): void {
    const plain = groupBy(entries, ({ item }) => item.name || `${item.table.replace('_', ' ')} ${item.id}`);
    for (const [name, namesakes] of plain) {
      const inSites = groupBy(namesakes, ({ item }) => (item.site === '' ? name : `${item.site}/${name}`));
      for (const [full, same] of namesakes.length === 1 ? [[name, namesakes] as const] : inSites)
        for (const entry of same) {
          this.names.set(entry.number, same.length === 1 ? full : `${full} (${entry.item.id || entry.number})`);
          if (namesakes.length > 1) this.ambiguous.add(entry.number);
        }
    }
  }

  kindOf(entry: Entry): EntityKind {
    const { item, owner } = entry;
    switch (item.table) {
      case 'rack':
        return 'rack';
      case 'power_panel':
      case 'power_feed':
        return 'breaker';
      case 'power_outlet':
        return 'outlet';
      case 'power_port':
        return 'psu';
      case 'interface':
        return owner && this.kindOf(owner) === 'server' ? 'nic' : 'port';
      case 'device':
        return deviceKind(item.role, { outlets: this.withOutlets.has(entry), inlets: this.withInlets.has(entry) });
      default:
        return 'port';
    }
  }

  private nameOf({ item, owner, number }: Entry): string {
    const own = item.name || `${item.table.replace('_', ' ')} ${item.id}`;
    return this.names.get(number) ?? (owner ? `${this.nameOf(owner)}/${own}` : own);
  }

  private entity(entry: Entry): number {
    const { item, number } = entry;
    const kind = this.kindOf(entry);
    const hostName =
      item.table === 'device' && item.name !== '' && !this.ambiguous.has(number)
        ? [{ kind: 'host_name', name: item.name }]
        : [];
    const attributes = { ...item.attributes, netbox: item.table, netbox_id: item.id || undefined };
    const aliases = new Map([...hostName, ...item.aliases].map((alias) => [`${alias.kind} ${alias.name}`, alias]));
    return this.builder.entity(kind, this.nameOf(entry), [...aliases.values()], attributesText(attributes));
  }

  /** Entity of an entry: an inlet is the device itself, except for a machine with power supplies. */
  private bearer(entry: Entry): Entry {
    if (entry.item.table !== 'power_port' || !entry.owner) return entry;
    return ['server', 'switch', 'device'].includes(this.kindOf(entry.owner)) ? entry : entry.owner;
  }

  private relate(from: Entry, kind: EdgeKind, to: Entry, provenance: string): void {
    const key = `${from.number} ${kind} ${to.number}`;
    if (from === to || this.emitted.has(key) || [from, to].some((one) => isGone(one))) return;
    this.emitted.add(key);
    appendEdge(this.builder, {
      from: this.entity(from),
      kind,
      to: this.entity(to),
      provenance: `netbox ${provenance}`,
    });
  }

  /** A rack or device and its location. */
  place(entry: Entry): void {
    if (isGone(entry)) return;
    this.entity(entry);
    const rack = this.inventory.find(entry.item.rack);
    const chassis = this.inventory.find(entry.item.parent);
    if (rack) this.relate(rack, 'contains', entry, 'rack');
    if (chassis) this.relate(chassis, 'contains', entry, 'device bay');
  }

  /** A feed, outlet or power port and its owner. */
  part(entry: Entry): void {
    const { item, owner } = entry;
    if (isGone(entry)) return;
    const bearer = this.bearer(entry);
    this.entity(bearer);
    if (!owner || bearer === owner) return;
    const word = item.table.replace('_', ' ');
    if (item.table === 'power_feed') return this.relate(owner, 'feeds', entry, word);
    this.relate(owner, 'contains', entry, word);
    // A PSU inside a machine feeds it, so upstream failures reach the machine.
    if (item.table === 'power_port') this.relate(entry, 'feeds', owner, word);
  }

  link([a, b]: Link): void {
    const [from, to] = this.directed(a, b);
    const tables: readonly [Table, Table] = [from.item.table, to.item.table];
    if (sourceTables.has(tables[0]) && tables[1] === 'power_port')
      return this.relate(this.bearer(from), 'feeds', this.bearer(to), 'cable');
    if (tables[0] === 'interface' && tables[1] === 'interface') return this.network(from, to);
    const what = tables.map((table) => table.replace('_', ' ')).join(' to ');
    this.odd.set(what, (this.odd.get(what) ?? 0) + 1);
  }

  private directed(a: Entry, b: Entry): Link {
    const isSource = [a, b].map(({ item }) => sourceTables.has(item.table));
    if (isSource[0] !== isSource[1]) return isSource[0] ? [a, b] : [b, a];
    const isSwitch = ({ owner }: Entry): boolean => owner !== undefined && this.kindOf(owner) === 'switch';
    if (isSwitch(a) !== isSwitch(b)) return isSwitch(a) ? [a, b] : [b, a];
    // Between equals the direction has no meaning; a link reported from both ends must still be one edge.
    return a.number < b.number ? [a, b] : [b, a];
  }

  private network(from: Entry, to: Entry): void {
    for (const port of [from, to]) if (port.owner) this.relate(port.owner, 'contains', port, 'interface');
    this.relate(from, 'connects', to, 'cable');
    // Also between the machines: a switch affects the connected devices, not only their ports.
    if (from.owner && to.owner) this.relate(from.owner, 'connects', to.owner, 'cable');
  }
}

/** Planned, stored or decommissioning: the item or its owner. */
const isGone = ({ item, owner }: Entry): boolean => isAbsent(item) || (owner !== undefined && isAbsent(owner.item));

function groupBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
