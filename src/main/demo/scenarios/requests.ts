import { createRandom } from '../random.ts';
import type { Request } from './engine.ts';
import type { Scene } from './scene.ts';

const OWN_TOKENS = 400;
const OUTPUT_TOKENS = 300;
/** Longest answer that a client of this site needs. */
export const LONGEST_ANSWER = 512;

/** Requests of each replica: Poisson arrivals, log-normal lengths; a balancer without memory spreads them. */
export function requestsOf(scene: Scene, replicas: number): Request[][] {
  const random = createRandom(scene.seed);
  const of: Request[][] = Array.from({ length: replicas }, () => []);
  for (let at_s = random.gap(scene.rate); at_s < scene.minutes * 60; at_s += random.gap(scene.rate)) {
    of[Math.floor(random.next() * replicas)]!.push({
      at_s,
      own_tokens: Math.max(8, Math.round(random.around(OWN_TOKENS, 0.5))),
      wanted_tokens: Math.min(LONGEST_ANSWER, Math.max(1, Math.round(random.around(OUTPUT_TOKENS, 0.35)))),
    });
  }
  return of;
}
