/** Random numbers of one purpose of one seed: each purpose has its own stream, so that a choice more in one shifts no other. */
export class Chance {
  private state: number;

  constructor(seed: number, purpose: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (const letter of `${purpose}/${seed}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    this.state = hash >>> 0;
  }

  /** 0 up to but not including 1 (mulberry32, public domain, by T. Ettinger). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    return scrambled(this.state);
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** As often a tenth as ten times the middle: for quantities that span decades. */
  spread(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** By weight; at least one weight must be positive. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.pick(list)[1];
  }

  /** Mean 0, standard deviation 1 (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits)
      text += Math.floor(this.next() * 0x1_0000)
        .toString(16)
        .padStart(4, '0');
    return text.slice(0, digits);
  }
}

function scrambled(state: number): number {
  let x = state;
  x = Math.imul(x ^ (x >>> 15), x | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 0x1_0000_0000;
}

/**
 * Noise that depends on nothing but its place: the run with a fault and the run without it see the same load, so that
 * whatever differs between them is what the fault did.
 * @returns about -1.7 to 1.7, mean 0, standard deviation 1
 */
export function noiseAt(seed: number, stream: number, tick: number): number {
  const mixed =
    Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35) ^ Math.imul(tick, 0x27d4eb2f);
  return (scrambled(mixed >>> 0) - 0.5) * Math.sqrt(12);
}
