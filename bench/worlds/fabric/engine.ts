/** Something that happened, and the events that made it happen. Recorders write what they see of these. */
export interface Occurrence {
  readonly id: number;
  readonly at_s: number;
  readonly type: string;
  /** `kind:id`. */
  readonly subject: string;
  readonly causes: readonly number[];
  readonly data: Readonly<Record<string, string | number>>;
}

/** What slows or stops an entity: a factor on the time of its work (Infinity: none is done), and the event that set it. */
export interface Hindrance {
  readonly factor: number;
  readonly by: number;
}
const none: Hindrance = { factor: 1, by: -1 };

/** A quantity that changes at events and holds between them. */
export class Track {
  private readonly times: number[] = [];
  private readonly values: number[] = [];

  set(at_s: number, value: number): void {
    if (this.values.at(-1) === value) return;
    this.times.push(at_s);
    this.values.push(value);
  }

  at(at_s: number, before = 0): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= at_s) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? before : this.values[low - 1]!;
  }
}

type Action = () => void;
interface Timed {
  readonly at_s: number;
  readonly order: number;
  readonly action: Action;
}

/** A queue of timed events, the journal of what happened, and what hinders whom at present. */
export class Engine {
  now = 0;
  readonly journal: Occurrence[] = [];
  readonly tracks = new Map<string, Track>();
  private readonly heap: Timed[] = [];
  private order = 0;
  private readonly hindrances = new Map<string, Map<string, Hindrance>>();
  private readonly worst = new Map<string, Hindrance>();
  private readonly watchers = new Map<string, ((entity: string) => void)[]>();

  at(at_s: number, action: Action): void {
    this.push({ at_s: Math.max(at_s, this.now), order: this.order++, action });
  }

  after(seconds: number, action: Action): void {
    this.at(this.now + seconds, action);
  }

  run(until_s: number): void {
    for (let next = this.heap[0]; next && next.at_s <= until_s; next = this.heap[0]) {
      this.pop();
      this.now = next.at_s;
      next.action();
    }
    this.now = until_s;
  }

  /** Notes that something happened now. */
  note(
    type: string,
    subject: string,
    causes: readonly number[] = [],
    data: Readonly<Record<string, string | number>> = {},
  ): number {
    const id = this.journal.length;
    this.journal.push({ id, at_s: this.now, type, subject, causes: causes.filter((one) => one >= 0), data });
    return id;
  }

  measure(key: string, value: number): void {
    let track = this.tracks.get(key);
    if (!track) {
      track = new Track();
      this.tracks.set(key, track);
    }
    track.set(this.now, value);
  }

  /** Hinders an entity for the reason of an event. */
  hinder(entity: string, key: string, factor: number, by: number): void {
    let own = this.hindrances.get(entity);
    if (!own) {
      own = new Map();
      this.hindrances.set(entity, own);
    }
    own.set(key, { factor, by });
    this.changed(entity, own);
  }

  relieve(entity: string, key: string): void {
    const own = this.hindrances.get(entity);
    if (own?.delete(key)) this.changed(entity, own);
  }

  isHindered(entity: string, key: string): boolean {
    return this.hindrances.get(entity)?.has(key) ?? false;
  }

  hindranceOf(entity: string): Hindrance {
    return this.worst.get(entity) ?? none;
  }

  /** Of several entities in one way: the factors multiply, the worst one is to blame. */
  along(entities: readonly string[]): Hindrance {
    let factor = 1;
    let worst = none;
    for (const entity of entities) {
      const one = this.worst.get(entity);
      if (!one) continue;
      factor *= one.factor;
      if (one.factor > worst.factor) worst = one;
    }
    return factor === 1 ? none : { factor, by: worst.by };
  }

  /** Calls back when what hinders an entity has changed. */
  watch(entity: string, watcher: (entity: string) => void): void {
    const list = this.watchers.get(entity);
    if (list) list.push(watcher);
    else this.watchers.set(entity, [watcher]);
  }

  private changed(entity: string, own: ReadonlyMap<string, Hindrance>): void {
    let factor = 1;
    let worst = none;
    for (const one of own.values()) {
      factor *= one.factor;
      if (one.factor > worst.factor) worst = one;
    }
    if (factor === 1) this.worst.delete(entity);
    else this.worst.set(entity, { factor, by: worst.by });
    for (const watcher of this.watchers.get(entity) ?? []) watcher(entity);
  }

  private push(one: Timed): void {
    const { heap } = this;
    let i = heap.length;
    heap.push(one);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(one, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = one;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
  }
}

const isBefore = (a: Timed, b: Timed): boolean => a.at_s < b.at_s || (a.at_s === b.at_s && a.order < b.order);

/** The first events of what led to one: those without a cause. */
export function originsOf(journal: readonly Occurrence[], id: number): ReadonlySet<number> {
  const origins = new Set<number>();
  const seen = new Set<number>();
  const left = [id];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (one < 0 || seen.has(one)) continue;
    seen.add(one);
    const { causes } = journal[one]!;
    if (causes.length === 0) origins.add(one);
    left.push(...causes);
  }
  return origins;
}
