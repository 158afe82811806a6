import { type Nanos, nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { readableType } from '../text/format-value.ts';
import { hitEvent } from './hit.ts';
import type { LaneRow } from './row-layout.ts';
import { eventRect, type Scene } from './scene.ts';

/** The event under a mark, the most severe if several share it. */
export interface EventUnder {
  readonly ref: string;
  readonly at: Nanos;
  /** `xid error`, `xid error × 5`: the type and the number of events in the mark. */
  readonly words: string;
}

/** The event of a lane within reach of the mouse; null: none, or a lane without events. */
export function eventUnder(scene: Scene, row: LaneRow, x: number): EventUnder | null {
  const entry = scene.entry(row.lane.id);
  if (entry?.data.kind !== 'events') return null;
  const { data, startNs } = entry;
  const hit = hitEvent(data, eventRect(scene, row, entry), x);
  if (!hit) return null;
  const what = readableType(data.types[data.type[hit.index]!] ?? messages.event);
  return {
    ref: `event:${data.event_id[hit.index]}`,
    at: nanos(startNs + BigInt(Math.round(data.offset_s[hit.index]! * 1e9))),
    words: hit.together > 1 ? `${what} × ${hit.together}` : what,
  };
}
