import type { EventFact } from '../../../store/facts/reader.ts';
import type { SupposedZone } from '../../clocks/clock-estimate.ts';
import { supposedText } from '../../clocks/clock-text.ts';
import { defineKind, type Line, line } from '../../evidence/kind.ts';
import type { IncidentContext } from '../incident-context.ts';
import { ranking } from '../parameters.ts';
import type { EventEvidence } from './event-evidence.ts';

/** Timestamps that are right only in an assumed time zone. */
const zoneSupposed = defineKind<{
  readonly of: 'event' | 'effects';
  readonly correction_s: number;
  /** The data source that supports it; null: none. */
  readonly otherSource: string | null;
}>({
  id: 'zone_supposed',
  sign: -1,
  judgement: -2,
  isJudged: true,
  text: ({ of, correction_s, otherSource }) =>
    `only if ${of === 'event' ? 'it was' : 'its effects were'} recorded ${supposedText({ correction_s, otherSource })}`,
});

/** Timestamps that are right only in an assumed time zone: of the event or of its effects. */
function zoneLines(event: EventFact, context: IncidentContext): Line[] {
  const own = context.input.doubts.supposedZone(event);
  if (!own) return zoneLinesOf(context.explainedBy(event), context);
  return [
    line(zoneSupposed, own.otherSource === null ? ranking.unsupportedZonePenalty : 1, zoneOf('event', own), own.refs),
  ];
}

/** As {@link zoneLines}, for a suspect with effects only, by the share of effects that need the zone. */
export function zoneLinesOf(effects: ReadonlyMap<EventFact, number>, context: IncidentContext): Line[] {
  const { doubts } = context.input;
  const found = [...effects].map(([effect, strength]) => ({
    zone: doubts.supposedZone(effect),
    strength: strength * context.relevance(effect),
  }));
  const zone = found.find((effect) => effect.zone)?.zone;
  if (!zone) return [];
  const strengthOf = (list: typeof found) => list.reduce((sum, { strength }) => sum + strength, 0);
  const all = strengthOf(found);
  const owed = all === 0 ? 1 : strengthOf(found.filter((effect) => effect.zone)) / all;
  const value = owed * (zone.otherSource === null ? ranking.unsupportedZonePenalty : 1);
  return [line(zoneSupposed, value, zoneOf('effects', zone), zone.refs)];
}

const zoneOf = (of: 'event' | 'effects', { correction_ns, otherSource }: SupposedZone) => ({
  of,
  correction_s: Number(correction_ns) / 1e9,
  otherSource: otherSource,
});

export const zoneEvidence: EventEvidence = {
  kinds: [zoneSupposed],
  find: ({ event }, context) => zoneLines(event, context),
};
