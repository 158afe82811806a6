import type { ColumnShape, ReadColumns } from '../../../model/storage/engine.ts';
import { EXACT_NS, microsText } from './micros.ts';
import type { Tracks } from './tracks.ts';

export const spanShape = {
  trace_id: 'text',
  span_id: 'text',
  parent_id: 'text',
  start: 'f64',
  end: 'f64',
  start_ns: 'i64',
  end_ns: 'i64',
  name: 'text',
  service: 'i32',
  resource: 'i32',
  kind: 'u8',
  status: 'u8',
  flags: 'u32',
  dropped: 'u32',
  trace_state: 'text',
  status_message: 'text',
  scope: 'text',
  attributes: 'text',
  span_events: 'text',
  links: 'text',
  is_linked: 'u8',
} as const satisfies Record<string, ColumnShape>;

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const statuses = ['unset', 'ok', 'error'];

interface SpanEventRow {
  readonly time_ns: string;
  readonly name: string | null;
  readonly attributes: string | null;
}

interface Link {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_state: string | null;
  readonly attributes: string | null;
  readonly is_drawn: boolean;
}

const json = (value: unknown): string => JSON.stringify(value);
const textDecoder = (): ((column: Readers[string], row: number) => string) => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (column, row) => {
    const { bytes, offsets } = column as { bytes: Uint8Array; offsets: Uint32Array };
    return decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
  };
};
type Readers = ReadColumns['columns'];

/** Rows of {@link spanShape}, each as its events: the slice, where arrows begin and end, and its span events. */
export class SpanEvents {
  private readonly tracks: Tracks;
  private readonly base_ns: bigint;
  private readonly read = textDecoder();

  constructor(tracks: Tracks, base_ns: bigint) {
    this.tracks = tracks;
    this.base_ns = base_ns;
  }

  *of({ columns }: ReadColumns, row: number): Generator<string> {
    const text = (name: keyof typeof spanShape): string => this.read(columns[name]!, row);
    const number = (name: keyof typeof spanShape): number => (columns[name] as Float64Array)[row]!;
    const trace = text('trace_id');
    const span = text('span_id');
    const parent = text('parent_id');
    const [start, end] = [number('start'), Math.max(number('start'), number('end'))];
    const process = this.tracks.process(number('service'), number('resource'));
    const key = `${trace}/${span}`;
    const lane = process.lanes.place({ key, parent: parent === '' ? '' : `${trace}/${parent}`, start, end });
    const place = `"pid":${process.pid},"tid":${this.tracks.thread(process, lane)}`;
    yield* this.tracks.take();
    const at = `${place},"ts":${microsText(start)}`;
    const kind = kinds[number('kind')] ?? 'unspecified';
    const links = listOf<Link>(text('links'));
    const argumentTexts = [
      `"evidence":${json(`span:${key}`)},"trace_id":"${trace}","span_id":"${span}"`,
      ...(parent === '' ? [] : [`"parent_span_id":"${parent}"`]),
      `"kind":"${kind}","status":"${statuses[number('status')] ?? 'unset'}"`,
      ...this.exactTimes(columns, row),
      ...(['status_message', 'trace_state', 'scope'] as const).flatMap((name) => member(name, text(name))),
      ...(['flags', 'dropped'] as const).flatMap((name) => (number(name) === 0 ? [] : [`"${name}":${number(name)}`])),
      ...(links.length === 0 ? [] : [`"links":[${links.map(linkText).join(',')}]`]),
      ...nested('attributes', text('attributes')),
    ].join(',');
    yield `{"ph":"X",${at},"dur":${microsText(end - start)},"name":${json(text('name'))},"cat":"${kind}","args":{${argumentTexts}}}`;
    if (number('is_linked') === 1) yield `{"ph":"s",${at},"name":"link","cat":"link","id":"${key}"}`;
    for (const { is_drawn, trace_id, span_id } of links)
      if (is_drawn) yield `{"ph":"f","bp":"e",${at},"name":"link","cat":"link","id":"${trace_id}/${span_id}"}`;
    for (const spanEvent of listOf<SpanEventRow>(text('span_events'))) {
      const ids = `"trace_id":"${trace}","span_id":"${span}"`;
      const since = Number(BigInt(spanEvent.time_ns) - this.base_ns);
      const exact = Math.abs(since) <= EXACT_NS ? [] : [`"time_unix_nano":"${spanEvent.time_ns}"`];
      const own = [ids, ...exact, ...nested('attributes', spanEvent.attributes ?? '')].join(',');
      yield `{"ph":"i","s":"t",${place},"ts":${microsText(since)},"name":${json(spanEvent.name ?? '')},"cat":"span event","args":{${own}}}`;
    }
  }

  /** If the format cannot represent them: beyond what a double holds, and where a span ends before it begins. */
  private exactTimes(columns: Readers, row: number): string[] {
    const [start, end] = [(columns.start as Float64Array)[row]!, (columns.end as Float64Array)[row]!];
    if (end >= start && end <= EXACT_NS) return [];
    const [from, to] = [(columns.start_ns as BigInt64Array)[row], (columns.end_ns as BigInt64Array)[row]];
    return [`"start_time_unix_nano":"${from}","end_time_unix_nano":"${to}"`];
  }
}

const listOf = <T>(text: string): readonly T[] => (text === '' ? [] : (JSON.parse(text) as T[]));
const member = (name: string, text: string): string[] => (text === '' ? [] : [`"${name}":${json(text)}`]);
/** What is JSON already. */
export const nested = (name: string, text: string): string[] => (text === '' ? [] : [`"${name}":${text}`]);

function linkText({ trace_id, span_id, trace_state, attributes }: Link): string {
  const ids = `"trace_id":"${trace_id}","span_id":"${span_id}"`;
  return `{${[ids, ...member('trace_state', trace_state ?? ''), ...nested('attributes', attributes ?? '')].join(',')}}`;
}
