import type { Session } from '../../../model/storage/engine.ts';
import { deriveStalls } from '../../analysis/derive/derive-stalls.ts';
import { LiveSamples } from '../../analysis/derive/live-samples.ts';
import { createReader } from '../../store/facts/reader.ts';
import type { LiveDeriver } from '../../store/live/live-writer.ts';

/** Derived events, written with their samples. No live feed has collectives. */
export async function liveDeriver(session: Session): Promise<LiveDeriver> {
  const reader = createReader(session);
  const samples = await LiveSamples.of(reader);
  const stalls = await deriveStalls(reader);
  return {
    take: (source, batch, series) => samples.take(source, batch, series),
    clockChanged: () => samples.clockChanged(),
    entitiesChanged: () => samples.entitiesChanged(),
    derive: async (now) => {
      const derived = await samples.derive(createReader(now));
      return derived && [...derived, ...stalls];
    },
  };
}
