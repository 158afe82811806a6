/** What happens to a health event, in this order when all goes well. */
export const lifeStages = ['detection', 'quarantine', 'drain', 'remediation', 'recovery'] as const;
export type LifeStage = (typeof lifeStages)[number];

/**
 * Outcome: `recovered` (the node is back in service), `remediated` (a repair ran without a reported failure), `failed`,
 * `timed_out`, `cancelled`, `skipped` (somebody decided against it), `in_progress` (reported as not over yet), `stopped`
 * (nothing more was recorded).
 */
export const lifeOutcomes = [
  'recovered',
  'remediated',
  'failed',
  'timed_out',
  'cancelled',
  'skipped',
  'in_progress',
  'stopped',
] as const;
export type LifeOutcome = (typeof lifeOutcomes)[number];
