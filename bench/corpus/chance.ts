import { createRandom } from '../../src/main/demo/random.ts';

/** The generator of the demo, with choices; each purpose of an incident has its own stream, so that none shifts another. */
export function createChance(seed: number, purpose: string) {
  let hash = (seed ^ 0x9e3779b9) >>> 0;
  for (const letter of `${seed} ${purpose}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
  const random = createRandom(hash);
  const whole = (low: number, high: number): number => low + Math.floor(random.next() * (high - low + 1));
  return {
    ...random,
    /** A whole number, both ends included. */
    whole,
    chance: (probability: number): boolean => random.next() < probability,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error(`nothing to pick for ${purpose} of ${seed}`);
      return list[Math.floor(random.next() * list.length)] as T;
    },
    /** Up to `count` different members, in random order. */
    some: <T>(list: readonly T[], count: number): T[] => {
      const left = [...list];
      const picked: T[] = [];
      while (picked.length < count && left.length > 0)
        picked.push(...left.splice(Math.floor(random.next() * left.length), 1));
      return picked;
    },
    hex: (digits: number): string => {
      let text = '';
      while (text.length < digits)
        text += Math.floor(random.next() * 0x1_0000_0000)
          .toString(16)
          .padStart(8, '0');
      return text.slice(0, digits);
    },
    /** Poisson with this mean; normal approximation above 50. */
    poisson: (mean: number): number => {
      if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
      let count = 0;
      for (let product = random.next(); product > Math.exp(-mean); product *= random.next()) count++;
      return count;
    },
  };
}
export type Chance = ReturnType<typeof createChance>;
