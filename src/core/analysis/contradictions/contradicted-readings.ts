import type { ContradictedReading } from '../../../model/incident/contradicted-reading.ts';
import type { Reader, StatedReadingFact } from '../../store/facts/reader.ts';
import { contradictions } from './parameters.ts';

export type ContradictedReadings = ReadonlyMap<number, ContradictedReading>;

/** Which of these events state a reading that the samples around them contradict, by the number of the event. */
export async function readContradictions(
  reader: Pick<Reader, 'statedReadings'>,
  events: Iterable<number>,
): Promise<ContradictedReadings> {
  const { aroundSeconds, besideSeconds } = contradictions;
  const ids = [...new Set(events)].sort((a, b) => a - b);
  const facts = await reader.statedReadings(ids, { around_s: aroundSeconds, beside_s: besideSeconds });
  return new Map(
    facts.flatMap(({ event_id, details, series, nearest_ns, ...found }) => {
      const { reading } = details;
      if (!reading || agrees(reading, found)) return [];
      const { metric, unit, value: stated } = reading;
      return [[event_id, { ...found, metric, unit, stated, ref: `metric:${series}@${nearest_ns}` }]];
    }),
  );
}

interface Reading {
  readonly metric: string;
  readonly value: number;
}

function agrees({ metric, value }: Reading, { least, most }: Pick<StatedReadingFact, 'least' | 'most'>): boolean {
  const tolerated = metric === 'hw.temperature' ? contradictions.kelvin : contradictions.share * Math.abs(value);
  return value >= least - tolerated && value <= most + tolerated;
}

/** Numbers of the events among evidence ids. */
export const eventsOf = (refs: Iterable<string>): number[] =>
  [...refs].flatMap((ref) => (ref.startsWith('event:') ? [Number(ref.slice('event:'.length))] : []));
