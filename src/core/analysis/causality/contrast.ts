import { readableType } from '../evidence/evidence-text.ts';
import { causality } from './parameters.ts';

/** How many machines show an event type: of those behind a suspect, and of all others. */
export interface Contrast {
  readonly shown: number;
  readonly of: number;
  readonly shownElsewhere: number;
  readonly ofElsewhere: number;
}

/**
 * Natural log odds ratio of a two by two table, with half added to each cell so that empty ones stay finite (Haldane 1956,
 * Anscombe 1956): 0 if the machines behind the suspect do not differ from the others.
 */
export function logOddsRatio({ shown, of, shownElsewhere, ofElsewhere }: Contrast): number {
  const inside = Math.log((shown + 0.5) / (Math.max(0, of - shown) + 0.5));
  const outside = Math.log((shownElsewhere + 0.5) / (Math.max(0, ofElsewhere - shownElsewhere) + 0.5));
  return Math.max(-causality.mostContrast, Math.min(causality.mostContrast, inside - outside));
}

/** `3 of 4 machines behind PDU-B show psu failover, 0 of 5 elsewhere`. */
export function contrastWords(
  { shown, of, shownElsewhere, ofElsewhere }: Contrast,
  device: string,
  type: string,
): string {
  const elsewhere = ofElsewhere > 0 ? `, ${shownElsewhere} of ${ofElsewhere} elsewhere` : '';
  return `${shown} of ${of} machines behind ${device} ${shown === 1 ? 'shows' : 'show'} ${readableType(type)}${elsewhere}`;
}
