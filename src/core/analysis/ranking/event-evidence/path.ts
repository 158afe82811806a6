import { line } from '../../evidence/kind.ts';
import { path } from '../../evidence/path.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';

/** Log-odds of a known path, 0 at a probability of one half. */
export const pathValue = (share: number): number => {
  const bounded = Math.min(1 - ranking.leastPath, Math.max(ranking.leastPath, share));
  return Math.log(bounded / (1 - bounded));
};

export const pathEvidence: EventEvidence = {
  find: ({ event }, context) => {
    const share = context.path(event);
    const { service } = context.input;
    return [line(path, pathValue(share), { of: 'event', service, share }, [`mechanism:${event.type}`])];
  },
};
