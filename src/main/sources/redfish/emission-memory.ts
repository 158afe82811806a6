import type { RejectedReadings } from './rejected-readings.ts';
import { SeriesPlaces } from './series-places.ts';

/**
 * What has been told of a tree: each reading, event and link once, though several resources repeat them and a live feed
 * reads the same tree again. What the last reading did not hold any more is forgotten, so that this is never more than a tree.
 */
export class EmissionMemory {
  readonly places = new SeriesPlaces();
  /** Which chassis a part has its name from: another's part never gets it, though the first does not answer. */
  readonly partNames = new Map<string, string>();
  /** Addresses of sensors whose own times are not to be believed. */
  readonly stuck = new Set<string>();
  /** Of a feed that reads the same again and again; undefined: each reading that is rejected is listed. */
  readonly rejected: RejectedReadings | undefined;
  private before: ReadonlyMap<string, number> = new Map();
  private now = new Map<string, number>();

  constructor(rejected?: RejectedReadings) {
    this.rejected = rejected;
  }

  isNew(key: string): boolean {
    return this.compare(key, 0) === 'new';
  }

  /** How a value stands to what was told under the same key: nothing was, the same, or another, which stays. */
  compare(key: string, value: number): 'new' | 'same' | 'other' {
    const known = this.now.get(key) ?? this.before.get(key);
    this.now.set(key, known ?? value);
    if (known === undefined) return 'new';
    return Object.is(known, value) ? 'same' : 'other';
  }

  /** The reading is over and its rows are kept. */
  commit(): void {
    this.before = this.now;
    this.now = new Map();
    this.places.forgetOthers();
    this.rejected?.commit();
  }

  /** The reading is over and its rows are gone. */
  forget(): void {
    this.now = new Map();
    this.rejected?.forget();
  }
}
