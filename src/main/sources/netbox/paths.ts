import type { Item, Reference } from './format.ts';
import type { Entry, Inventory } from './inventory.ts';

/** Two items connected for power or data, over one or more cables and the panels between them. */
export type Link = readonly [a: Entry, b: Entry];

/** Cables that are documented but not, or no longer, plugged in. */
export const isAbsent = ({ status }: Item): boolean => /^(planned|decommissioning|inventory)$/.test(status);

/** Longest path of cables; longer means a loop. */
const MAX_PANELS = 16;
/** A cable with more ends than this is no cable. */
const MAX_ENDS = 64;

/** Follows cables through patch panels, and counts failures by reason. */
export class Paths {
  readonly lost = new Map<string, number>();
  private readonly inventory: Inventory;
  /** Over one cable, by number of the entry. */
  private readonly plugged = new Map<number, Set<Entry>>();
  private readonly fronts = new Map<number, Entry[]>();
  private readonly cables: Link[] = [];

  constructor(inventory: Inventory) {
    this.inventory = inventory;
    for (const front of inventory.of('front_port')) {
      const rear = inventory.find(front.item.rear);
      if (rear)
        this.fronts
          .set(rear.number, this.fronts.get(rear.number) ?? [])
          .get(rear.number)
          ?.push(front);
    }
    for (const { item } of inventory.of('cable')) this.cable(item);
    for (const entry of this.ports()) this.peers(entry);
  }

  private *ports(): Generator<Entry> {
    for (const table of ['power_feed', 'power_port', 'power_outlet', 'interface', 'front_port', 'rear_port'] as const)
      yield* this.inventory.of(table);
  }

  private lose(reason: string): void {
    this.lost.set(reason, (this.lost.get(reason) ?? 0) + 1);
  }

  private cable(cable: Item): void {
    if (isAbsent(cable)) return this.lose(`cables that are ${cable.status}`);
    const [a = [], b = []] = (cable.ends ?? []).map((side) => this.ends(side));
    if (a.length * b.length > MAX_ENDS) return this.lose('cables with more ends than a cable has');
    for (const from of a) for (const to of b) this.plug(from, to);
  }

  private ends(side: readonly Reference[]): Entry[] {
    if (side.length === 0) this.lose('cables with an open end');
    return side.flatMap((reference) => {
      const entry = this.inventory.find(reference);
      if (entry) return [entry];
      this.lose(
        reference.table ? 'cable ends that the export does not hold' : 'cable ends that are no power or data port',
      );
      return [];
    });
  }

  private plug(from: Entry, to: Entry): void {
    if (from === to || this.plugged.get(from.number)?.has(to)) return;
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      this.plugged.set(one.number, (this.plugged.get(one.number) ?? new Set()).add(other));
    this.cables.push([from, to]);
  }

  /** Links from ports to the ends of their cables; used if the cables themselves were not exported. */
  private peers(self: Entry): void {
    const { item } = self;
    const cable = item.cable === '' ? undefined : this.inventory.find(cableReference(item.cable));
    // The record does not state which cable of the path is not connected.
    if (cable || item.broken) return;
    for (const peer of item.peers.map((one) => this.inventory.find(one))) if (peer) this.plug(self, peer);
  }

  /** All links between items that are not patch panels, each as often as it is reported. */
  *links(): Generator<Link> {
    for (const [a, b] of this.cables) {
      if (!isPassive(a) && !isPassive(b)) yield [a, b];
      else if (!isPassive(a)) yield* this.through(a, b);
      else if (!isPassive(b)) yield* this.through(b, a);
    }
    for (const entry of this.ports()) {
      if (isPassive(entry) || entry.item.endpoints.length === 0) continue;
      if (entry.item.broken) this.lose('paths with a cable that is not connected');
      else
        for (const reference of entry.item.endpoints) {
          const end = this.inventory.find(reference);
          if (end && !isPassive(end)) yield [entry, end];
          else
            this.lose(
              reference.table ? 'path ends that the export does not hold' : 'path ends that are no power or data port',
            );
        }
    }
  }

  private *through(from: Entry, panel: Entry): Generator<Link> {
    let found = 0;
    for (const end of this.behind(panel, [], new Set())) {
      if (end !== from) yield [from, end];
      if (++found >= MAX_ENDS) return;
    }
    if (found === 0 && from.item.endpoints.length === 0)
      this.lose('cables into patch panels with nothing known behind');
  }

  /** The item behind a port of a patch panel; `strands` are the positions where the path entered rear ports. */
  private *behind(port: Entry, strands: readonly string[], seen: Set<number>): Generator<Entry> {
    if (seen.has(port.number) || seen.size > MAX_PANELS * 2) return;
    seen.add(port.number);
    const isFront = port.item.table === 'front_port';
    const rear = isFront ? this.inventory.find(port.item.rear) : undefined;
    const fronts = this.fronts.get(port.number) ?? [];
    const strand = strands.at(-1);
    const other = isFront
      ? rear
      : fronts.length === 1 && strand === undefined
        ? fronts[0]
        : fronts.find(({ item }) => (item.position || '1') === strand);
    if (!other) return;
    const onward = isFront ? [...strands, port.item.position || '1'] : strands.slice(0, -1);
    for (const next of this.plugged.get(other.number) ?? [])
      if (!isPassive(next)) yield next;
      else yield* this.behind(next, onward, seen);
  }
}

const cableReference = (id: string): Reference => ({ table: 'cable', id, name: '', site: '' });
const isPassive = ({ item }: Entry): boolean => item.table === 'front_port' || item.table === 'rear_port';
