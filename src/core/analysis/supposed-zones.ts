import type { EventFact } from '../store/reader.ts';
import { supposedWords } from './clocks/clock-words.ts';
import { type Line, line } from './hypothesis-line.ts';
import type { Story } from './situation.ts';

/** A zone that no other recording speaks for counts against whoever needs it as much more. */
const NOTHING_BESIDE = 1.5;

/** Times that are only right in a zone that is supposed: the event's own, or those of what it explains. */
export function zoneLines(event: EventFact, story: Story): Line[] {
  const own = story.situation.doubts.supposedZone(event);
  if (!own) return zoneLinesOf(story.explainedBy(event), story);
  const text = `only if it was recorded ${supposedWords(own)}`;
  return [line('zone_supposed', own.beside === null ? NOTHING_BESIDE : 1, text, own.refs)];
}

/** As {@link zoneLines}, of something by its effects alone, by how much of what it explains needs the zone. */
export function zoneLinesOf(effects: ReadonlyMap<EventFact, number>, story: Story): Line[] {
  const { doubts } = story.situation;
  const found = [...effects].map(([effect, strength]) => ({
    zone: doubts.supposedZone(effect),
    strength: strength * story.relevance(effect),
  }));
  const zone = found.find((effect) => effect.zone)?.zone;
  if (!zone) return [];
  const strengthOf = (list: typeof found) => list.reduce((sum, { strength }) => sum + strength, 0);
  const all = strengthOf(found);
  const owed = all === 0 ? 1 : strengthOf(found.filter((effect) => effect.zone)) / all;
  const text = `only if its effects were recorded ${supposedWords(zone)}`;
  return [line('zone_supposed', owed * (zone.beside === null ? NOTHING_BESIDE : 1), text, zone.refs)];
}
