import { eventRef, type Line, line } from '../evidence/kind.ts';
import { cancelled } from '../evidence/open.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** The affected job was cancelled as its work ended. Who cancels a job that no longer works does so later. */
export function cancelledLines(context: IncidentContext): Line[] {
  const { nearby, window, service, graph } = context.input;
  // What a scheduler's job writes is measured as a service.
  const isOwn = (entity: number): boolean =>
    entity === window.service || (entity >= 0 && graph.servicesNear(entity).has(window.service));
  const found = nearby.find((event) => {
    const lag = context.lagOf(event);
    const isNear = lag >= -ranking.cancelledLateSeconds && lag <= ranking.cancelledSeconds;
    return event.type === 'job_cancelled' && isNear && isOwn(event.entity);
  });
  return found ? [line(cancelled, 1, { job: service, message: found.message }, [eventRef(found)])] : [];
}
