/** What a scenario is generated from. The same scene gives the same bytes. */
export interface Scene {
  /** Requests per second of all replicas together. */
  readonly rate: number;
  readonly minutes: number;
  readonly seed: number;
}

/** What happened, for comparison with what Faultline finds. */
export interface Truth {
  /** Seconds after the start. */
  readonly at_s: number;
  /** `kind:id` of the entity in which it began. */
  readonly subject: string;
  /** Sentences with their figures. */
  readonly lines: readonly string[];
}

export interface Generated {
  /** By relative path; names with `.gz` are compressed when written. */
  readonly files: ReadonlyMap<string, string>;
  readonly truth: Truth;
}

/** The fault begins when three fifths of the recording have passed: there is a baseline before it. */
export const faultAt_s = ({ minutes }: Scene): number => Math.round(minutes * 60 * 0.6);

export const jsonLines = (lines: readonly unknown[]): string =>
  `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
