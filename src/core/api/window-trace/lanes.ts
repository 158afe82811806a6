/** A slice that has been placed and may not be over. */
interface Open {
  readonly key: string;
  readonly end: number;
}

interface Lane {
  readonly index: number;
  /** Each lies within the one before it. */
  stack: Open[];
}

export interface Slice {
  /** Of the span, and of its parent; '' where there is none. */
  readonly key: string;
  readonly parent: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Gives slices, which come in the order of their start, lanes on which they only ever nest: within its parent where that is the
 * innermost there, else on one where nothing is going on, else on a new one. Holds what is open at one time and nothing else.
 */
export class Lanes {
  private readonly lanes: Lane[] = [];
  /** Where spans lie that are not over. */
  private readonly open = new Map<string, Lane>();
  private readonly busy = new Heap<Lane>((lane) => lane.stack[0]?.end ?? 0);
  private readonly free = new Heap<Lane>((lane) => lane.index);

  /** Number of the lane, from 0. */
  place({ key, parent, start, end }: Slice): number {
    this.release(start);
    const lane = this.within(parent, start, end) ?? this.free.pop() ?? this.add();
    if (lane.stack.length === 0) this.busy.push(Object.assign(lane, { stack: [{ key, end }] }));
    else lane.stack.push({ key, end });
    this.open.set(key, lane);
    return lane.index;
  }

  private add(): Lane {
    const lane: Lane = { index: this.lanes.length, stack: [] };
    this.lanes.push(lane);
    return lane;
  }

  /** The parent's lane, if nothing lies over it there. */
  private within(parent: string, start: number, end: number): Lane | undefined {
    const lane = parent === '' ? undefined : this.open.get(parent);
    if (!lane) return undefined;
    while (lane.stack.length > 1 && lane.stack.at(-1)!.end <= start) this.forget(lane.stack.pop()!, lane);
    const top = lane.stack.at(-1);
    return top?.key === parent && top.end >= end ? lane : undefined;
  }

  /** Lanes of which all is over become free. */
  private release(now: number): void {
    for (let lane = this.busy.peek(); lane && (lane.stack[0]?.end ?? 0) <= now; lane = this.busy.peek()) {
      this.busy.pop();
      for (const slice of lane.stack) this.forget(slice, lane);
      lane.stack = [];
      this.free.push(lane);
    }
  }

  private forget({ key }: Open, lane: Lane): void {
    if (this.open.get(key) === lane) this.open.delete(key);
  }
}

/** The least first. */
class Heap<T> {
  private readonly items: T[] = [];
  private readonly rank: (item: T) => number;

  constructor(rank: (item: T) => number) {
    this.rank = rank;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.rank(items[above] as T) <= this.rank(item)) break;
      items[at] = items[above] as T;
      at = above;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const { items } = this;
    const [least] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return least;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && this.rank(items[below + 1] as T) < this.rank(items[below] as T)) below++;
      if (this.rank(last) <= this.rank(items[below] as T)) break;
      items[at] = items[below] as T;
      at = below;
    }
    items[at] = last;
    return least;
  }
}
