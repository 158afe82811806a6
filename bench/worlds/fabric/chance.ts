/** Random numbers of one purpose: each entity has its own stream, so that a fault elsewhere changes no other stream. */
export class Chance {
  private state: number;

  constructor(seed: number, purpose: string) {
    this.state = hashOf(`${seed}/${purpose}`);
  }

  /** At least 0, below 1. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    return mixed(this.state) / 0x1_0000_0000;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** Up to `count` different members, in random order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(Math.floor(this.next() * left.length), 1));
    return taken;
  }

  /** Waiting time until the next of events at random. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += Math.floor(this.next() * 16).toString(16);
    return text;
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return mixed(hash);
}

/** The finalizer of MurmurHash3. */
function mixed(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number of 0 to 1 that belongs to three numbers for ever: the same request has the same random numbers in every run. */
export function randomOf(a: number, b: number, c: number): number {
  return mixed(mixed(a + 0x632be5ab) ^ mixed(b * 0x9e3779b1) ^ Math.imul(c + 1, 0x7feb352d)) / 0x1_0000_0000;
}

/** Work with a long tail, of mean about 1. */
export const tailed = (u: number): number => 0.55 + 0.45 * -Math.log(1 - u);
