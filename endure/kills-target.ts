import type { IntactCase } from './intact-case.ts';
import type { CaseState } from './kills-content.ts';
import type { Victim } from './kills-victim.ts';

/** What all targets work on. */
export interface KillWorld {
  /** Where a target prepares what it needs. */
  readonly folder: string;
  /** It is copied and never changed. */
  readonly intact: IntactCase;
  readonly intactState: CaseState;
  /** How many spans a large case has. */
  readonly spans: number;
}

/** Of one kill. */
export interface Place {
  /** Empty, and gone afterwards. */
  readonly folder: string;
  /** With a home and a temporary folder of its own, so that what is left in them is seen. */
  readonly env: Readonly<Record<string, string>>;
  readonly number: number;
}

export interface Attempt {
  readonly victim: Victim;
  /** After the process has ended. @returns what is wrong, each in one line */
  check(): Promise<readonly string[]>;
}

/** Something that is killed while it works. */
export interface KillTarget {
  /** Kills of a full run. */
  readonly kills: number;
  prepare(world: KillWorld): Promise<PreparedKills>;
}

export interface PreparedKills {
  /** How long one is left to work at most; left out: as long as it takes undisturbed, which is tried first. */
  readonly lasts_ms?: number;
  /** Starts what is killed; the moment is counted from when this resolves. */
  begin(place: Place): Promise<Attempt>;
  /** What was seen over all kills, for people. */
  figures?(): readonly string[];
}
