import type { RejectedReadings } from './rejected-readings.ts';
import { SeriesPlaces } from './series-places.ts';

/**
 * The rows already written for a tree: each reading, event and link once, although several resources repeat them and a
 * live feed reads the same tree again. Keys absent from the last poll are forgotten: the size stays within a tree.
 */
export class EmissionMemory {
  readonly places = new SeriesPlaces();
  /** The chassis of each part name: a part of another chassis never gets it, even if the first does not answer. */
  readonly partNames = new Map<string, string>();
  /** Addresses of sensors whose own times are wrong. */
  readonly stuck = new Set<string>();
  /** For a feed that reads the same tree repeatedly; undefined: every rejected reading is listed. */
  readonly rejected: RejectedReadings | undefined;
  private before: ReadonlyMap<string, number> = new Map();
  private now = new Map<string, number>();

  constructor(rejected?: RejectedReadings) {
    this.rejected = rejected;
  }

  isNew(key: string): boolean {
    return this.compare(key, 0) === 'new';
  }

  /** Compares a value with the one written under the same key; the first value stays. */
  compare(key: string, value: number): 'new' | 'same' | 'other' {
    const known = this.now.get(key) ?? this.before.get(key);
    this.now.set(key, known ?? value);
    if (known === undefined) return 'new';
    return Object.is(known, value) ? 'same' : 'other';
  }

  /** The poll is over and its rows are stored. */
  commit(): void {
    this.before = this.now;
    this.now = new Map();
    this.places.forgetOthers();
    this.rejected?.commit();
  }

  /** The poll is over and its rows are lost. */
  forget(): void {
    this.now = new Map();
    this.rejected?.forget();
  }
}
