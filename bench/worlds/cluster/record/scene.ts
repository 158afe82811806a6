import { Chance } from '../chance.ts';
import type { Run } from '../simulate.ts';
import type { Happening, Subject } from '../state.ts';

/** The clock of one recorder: off by a constant, drifting, and now and then set. */
export class Clock {
  readonly offset_s: number;
  private readonly drift: number;
  private readonly set_s: number;
  private readonly set_by_s: number;

  constructor(chance: Chance, care: 'synchronised' | 'careless') {
    const careless = care === 'careless' ? 4 : 1;
    const kind = chance.weighted([
      [70, 0.02],
      [10 * careless, 2],
      [4 * careless, 40],
      [2 * careless, 200],
    ]);
    this.offset_s = kind * chance.normal();
    // Crystals are within 50 ppm; what is synchronised does not drift.
    this.drift = kind > 1 ? 30e-6 * chance.normal() : 0;
    this.set_s = kind > 1 && chance.is(0.15) ? chance.between(300, 2000) : Number.POSITIVE_INFINITY;
    this.set_by_s = -this.offset_s;
  }

  /** Seconds since the start of the recording that this clock shows. */
  shows(at_s: number): number {
    return at_s + this.offset_s + this.drift * at_s + (at_s >= this.set_s ? this.set_by_s : 0);
  }
}

/** A part of the map: one link as a row of a topology file, or as a recorder states it. */
export interface Link {
  readonly from: string;
  readonly edge: string;
  readonly to: string;
}

/** A happening that a recorder kept, the entity that its record is about, and the machine whose record it is. */
interface Kept {
  readonly happening: Happening;
  readonly shown: Subject;
  readonly machine?: Subject;
}

/** What is recorded of a run: files by path, which happenings they contain, and which links they state. */
export class Scene {
  readonly run: Run;
  readonly files = new Map<string, string>();
  readonly kept: Kept[] = [];
  readonly links: Link[] = [];
  /** Families of GPU readings that are recorded: these show a hot, capped or lost GPU as well as an event does. */
  gpus = false;
  readonly recorders = new Set<string>();
  /** Requests per second of which spans are kept; seconds between two points of a metric. 0: there are none. */
  traced = 0;
  interval_s = 0;
  readonly offsets = new Map<string, number>();
  private readonly clocks = new Map<string, Clock>();

  constructor(run: Run) {
    this.run = run;
  }

  keep(happening: Happening, shown?: Subject): void {
    const { subject, server } = happening;
    if (shown || server === undefined) this.kept.push({ happening, shown: shown ?? subject });
    else this.kept.push({ happening, shown: subject, machine: { kind: 'server', id: this.server(server) } });
  }

  chance(purpose: string): Chance {
    return new Chance(this.run.site.seed, `record ${purpose}`);
  }

  clock(name: string, care: 'synchronised' | 'careless' = 'synchronised'): Clock {
    let clock = this.clocks.get(name);
    if (!clock) {
      clock = new Clock(this.chance(`clock ${name}`), care);
      this.clocks.set(name, clock);
      this.offsets.set(name, clock.offset_s);
    }
    return clock;
  }

  /** ISO 8601 as this clock shows it, with so many decimals. */
  iso(clock: Clock, at_s: number, decimals: 0 | 3): string {
    const text = new Date(this.run.site.start_ms + clock.shows(at_s) * 1000).toISOString();
    return decimals === 3 ? text : text.replace(/\.\d+Z$/, 'Z');
  }

  /** Nanoseconds since 1970 as text. */
  nanos(clock: Clock, at_s: number): string {
    return String(BigInt(this.run.site.start_ms) * 1_000_000n + BigInt(Math.round(clock.shows(at_s) * 1e9)));
  }

  server(i: number): string {
    return this.run.site.servers[i]!.name;
  }
}
