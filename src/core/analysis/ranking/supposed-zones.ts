import type { EventFact } from '../../store/facts/reader.ts';
import type { SupposedZone } from '../clocks/clock-estimate.ts';
import { type Line, line } from '../evidence/kind.ts';
import { zoneSupposed } from '../evidence/time.ts';
import type { IncidentContext } from './incident-context.ts';

/** A zone that no other recording speaks for counts against whoever needs it as much more. */
const UNSUPPORTED_ZONE_PENALTY = 1.5;

/** Times that are only right in a zone that is supposed: the event's own, or those of what it explains. */
export function zoneLines(event: EventFact, context: IncidentContext): Line[] {
  const own = context.input.doubts.supposedZone(event);
  if (!own) return zoneLinesOf(context.explainedBy(event), context);
  return [line(zoneSupposed, own.otherSource === null ? UNSUPPORTED_ZONE_PENALTY : 1, zoneOf('event', own), own.refs)];
}

/** As {@link zoneLines}, of something by its effects alone, by how much of what it explains needs the zone. */
export function zoneLinesOf(effects: ReadonlyMap<EventFact, number>, story: IncidentContext): Line[] {
  const { doubts } = story.input;
  const found = [...effects].map(([effect, strength]) => ({
    zone: doubts.supposedZone(effect),
    strength: strength * story.relevance(effect),
  }));
  const zone = found.find((effect) => effect.zone)?.zone;
  if (!zone) return [];
  const strengthOf = (list: typeof found) => list.reduce((sum, { strength }) => sum + strength, 0);
  const all = strengthOf(found);
  const owed = all === 0 ? 1 : strengthOf(found.filter((effect) => effect.zone)) / all;
  const value = owed * (zone.otherSource === null ? UNSUPPORTED_ZONE_PENALTY : 1);
  return [line(zoneSupposed, value, zoneOf('effects', zone), zone.refs)];
}

const zoneOf = (of: 'event' | 'effects', { correction_ns, otherSource }: SupposedZone) => ({
  of,
  correction_s: Number(correction_ns) / 1e9,
  otherSource: otherSource,
});
