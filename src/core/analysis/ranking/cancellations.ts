import { eventRef, type Line, line } from '../evidence/kind.ts';
import { cancelled } from '../evidence/open.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** The affected job was cancelled as its work ended. Who cancels a job that no longer works does so later. */
export function cancelledLines(context: IncidentContext): Line[] {
  const { nearby, window, service } = context.input;
  const found = nearby.find((event) => {
    const lag = context.lagOf(event);
    const isNear = lag >= -ranking.cancelledLateSeconds && lag <= ranking.cancelledSeconds;
    return event.type === 'job_cancelled' && event.entity === window.service && isNear;
  });
  return found ? [line(cancelled, 1, { job: service, message: found.message }, [eventRef(found)])] : [];
}
