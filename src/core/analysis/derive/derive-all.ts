import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { deriveEvents } from './derive-events.ts';
import { deriveLostLoads } from './derive-lost-loads.ts';
import { deriveShifts } from './derive-shifts.ts';
import { deriveStalls } from './derive-stalls.ts';
import { deriveStarts } from './derive-starts.ts';
import { deriveStoppedRanks } from './derive-stopped-ranks.ts';
import { deriveTraining } from './derive-training.ts';

/** Every event that the rows of a case at rest show without stating it. */
export const deriveAll = async (reader: Reader): Promise<DerivedEvent[]> => [
  ...(await deriveEvents(reader)),
  ...(await deriveStarts(reader)),
  ...(await deriveLostLoads(reader)),
  ...(await deriveShifts(reader)),
  ...(await deriveStalls(reader)),
  ...(await deriveStoppedRanks(reader)),
  ...(await deriveTraining(reader)),
];
