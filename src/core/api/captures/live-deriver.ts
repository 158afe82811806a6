import type { Session } from '../../../model/storage/engine.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import { deriveLostLoads, LoadWatch } from '../../analysis/derive/derive-lost-loads.ts';
import { deriveShifts, ShiftWatch } from '../../analysis/derive/derive-shifts.ts';
import { deriveStalls } from '../../analysis/derive/derive-stalls.ts';
import { deriveStarts } from '../../analysis/derive/derive-starts.ts';
import { deriveStoppedRanks, StepWatch } from '../../analysis/derive/derive-stopped-ranks.ts';
import { deriveTraining } from '../../analysis/derive/derive-training.ts';
import { LiveSamples } from '../../analysis/derive/live-samples.ts';
import { createReader } from '../../store/facts/reader.ts';
import type { LiveDeriver } from '../../store/live/live-writer.ts';

/**
 * Derived events, written with their rows: samples are followed; stalls are found again when collectives came, stopped ranks when a counter
 * of steps stands, lost loads when one fell to nothing, levels of cooling units now and then.
 */
export async function liveDeriver(session: Session): Promise<LiveDeriver> {
  const reader = createReader(session);
  const samples = await LiveSamples.of(reader);
  let ofSamples: readonly DerivedEvent[] = [];
  let stalls: readonly DerivedEvent[] = await deriveStalls(reader);
  let lostLoads: readonly DerivedEvent[] = await deriveLostLoads(reader);
  let shifts: readonly DerivedEvent[] = await deriveShifts(reader);
  let stopped: readonly DerivedEvent[] = await deriveStoppedRanks(reader);
  // Found anew when the capture ends; until then those of the rows before it stay.
  const resting = [...(await deriveTraining(reader)), ...(await deriveStarts(reader))];
  const loads = new LoadWatch();
  const levels = new ShiftWatch();
  const steps = new StepWatch();
  let hasCollectives = false;
  return {
    take: (source, batch, series) => {
      hasCollectives ||= (batch.tables.collective?.count ?? 0) > 0;
      samples.take(source, batch, series);
      loads.take(batch, series);
      levels.take(batch, series);
      steps.take(batch, series);
    },
    clockChanged: () => samples.clockChanged(),
    entitiesChanged: () => samples.entitiesChanged(),
    derive: async (now) => {
      const changed = await samples.derive(createReader(now));
      const isLoadChanged = loads.next();
      const mayShift = levels.next();
      const mayStop = steps.next();
      if (!changed && !hasCollectives && !isLoadChanged && !mayShift && !mayStop) return null;
      ofSamples = changed ?? ofSamples;
      if (hasCollectives) stalls = await deriveStalls(createReader(now));
      if (isLoadChanged) lostLoads = await deriveLostLoads(createReader(now));
      if (mayShift) shifts = await deriveShifts(createReader(now));
      if (mayStop) stopped = await deriveStoppedRanks(createReader(now));
      hasCollectives = false;
      return [...ofSamples, ...lostLoads, ...shifts, ...stalls, ...stopped, ...resting];
    },
  };
}
