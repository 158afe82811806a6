import { readableType } from '../evidence/evidence-text.ts';

/** How many of those that should show something do, and of those that should not. */
export interface Contrast {
  readonly shown: number;
  readonly of: number;
  readonly shownElsewhere: number;
  readonly ofElsewhere: number;
}

/** One comparison is never sure: no more than this, log-odds. */
const MOST = 4;

/**
 * Natural log odds ratio of a two by two table, with half added to each cell so that empty ones stay finite (Haldane 1956,
 * Anscombe 1956): 0 where what a suspect can reach fares as everything else does.
 */
export function logOddsRatio({ shown, of, shownElsewhere, ofElsewhere }: Contrast): number {
  const inside = Math.log((shown + 0.5) / (Math.max(0, of - shown) + 0.5));
  const outside = Math.log((shownElsewhere + 0.5) / (Math.max(0, ofElsewhere - shownElsewhere) + 0.5));
  return Math.max(-MOST, Math.min(MOST, inside - outside));
}

/** `3 of 4 machines behind PDU-B show psu failover; 0 of 5 others do`. */
export function contrastWords({ shown, of, shownElsewhere, ofElsewhere }: Contrast, type: string): string {
  const others = ofElsewhere > 0 ? `; ${shownElsewhere} of ${ofElsewhere} others do` : '';
  return `${shown} of ${of} ${of === 1 ? 'machine shows' : 'machines show'} ${readableType(type)}${others}`;
}
