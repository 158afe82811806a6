/** What every part gets. */
export interface Endurance {
  /** Of all random choices: the same seed does the same. */
  readonly seed: number;
  /** 1: all of it; CI takes a part. */
  readonly share: number;
  /** An empty folder of its own. */
  readonly folder: string;
  /** Of kills: only what is killed in this. */
  readonly target?: string | undefined;
  print(line: string): void;
}

/** What was seen, for people, and whether it is what the goals ask for. */
export interface Outcome {
  readonly figures: readonly string[];
  /** Each in one line, with what is needed to see it again. */
  readonly failures: readonly string[];
}
