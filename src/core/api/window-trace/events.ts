import { severities } from '../../../model/entity.ts';
import type { ColumnShape, ReadColumns } from '../../../model/storage/engine.ts';
import { EXACT_NS, microsText } from './micros.ts';
import { nested } from './spans.ts';
import type { Tracks } from './tracks.ts';

export const eventShape = {
  time: 'f64',
  time_ns: 'i64',
  event_id: 'i32',
  entity: 'i32',
  type: 'text',
  origin: 'text',
  severity: 'u8',
  original_id: 'text',
  message: 'text',
  attributes: 'text',
  raw: 'text',
} as const satisfies Record<string, ColumnShape>;

const json = (value: unknown): string => JSON.stringify(value);

/** Rows of {@link eventShape} as instants of their entity. */
export class EventEvents {
  private readonly tracks: Tracks;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(tracks: Tracks) {
    this.tracks = tracks;
  }

  *of({ columns }: ReadColumns, row: number): Generator<string> {
    const text = (name: keyof typeof eventShape): string => {
      const { bytes, offsets } = columns[name] as { readonly bytes: Uint8Array; readonly offsets: Uint32Array };
      return this.decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
    };
    const number = (name: keyof typeof eventShape): number => (columns[name] as Float64Array)[row]!;
    const process = this.tracks.process(number('entity'), -1);
    const thread = this.tracks.eventThread(process);
    yield* this.tracks.take();
    const time = number('time');
    const entityKey = this.tracks.keyOf(number('entity'));
    const severity = severities[number('severity')] ?? 'low';
    const argumentTexts = [
      `"evidence":"event:${number('event_id')}"`,
      ...(entityKey === undefined ? [] : [`"entity":${json(entityKey)}`]),
      `"severity":"${severity}"`,
      ...(time <= EXACT_NS ? [] : [`"time_unix_nano":"${(columns.time_ns as BigInt64Array)[row]}"`]),
      ...(['message', 'origin', 'original_id', 'raw'] as const).flatMap((name) =>
        text(name) === '' ? [] : [`"${name}":${json(text(name))}`],
      ),
      ...nested('attributes', text('attributes')),
    ].join(',');
    yield `{"ph":"i","s":"t","pid":${process.pid},"tid":${thread},"ts":${microsText(time)},"name":${json(text('type'))},"cat":"event","args":{${argumentTexts}}}`;
  }
}
