import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import type { TextColumn } from '../../../model/rows/rows.ts';
import { fastSpansWasm } from './fast-spans-wasm.ts';
import { appendDouble } from './json-text.ts';
import type { DeferredRows, Output } from './output.ts';

/** Keys of OTLP/JSON by the numbers that `assembly/json-spans.ts` knows them under, from 1 on. */
const jsonKeys: readonly string[] = [
  'traceId',
  'spanId',
  'parentSpanId',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'name',
  'kind',
  'flags',
  'droppedAttributesCount',
  'droppedEventsCount',
  'droppedLinksCount',
  'traceState',
  'status',
  'events',
  'links',
  'code',
  'message',
  'key',
  'value',
  'stringValue',
  'intValue',
  'boolValue',
  'doubleValue',
  'timeUnixNano',
];

type Read = (from: number, end: number, most: number, stop: number) => number;
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly jsonSpans: Read;
  readonly protobufSpans: Read;
  readonly addKey: (from: number, length: number, id: number) => void;
  readonly setScope: (length: number) => void;
  readonly clear: () => void;
  readonly isFull: () => number;
  readonly rows: () => number;
  readonly events: () => number;
  readonly position: () => number;
}
type Place =
  | 'DROPPED'
  | 'EVENT_ENDS'
  | 'EVENT_NAME_FROM'
  | 'EVENT_NAME_TO'
  | 'EVENT_TEXT'
  | 'EVENT_WIDE'
  | 'EVENTS'
  | 'FLAGS'
  | 'INPUT'
  | 'INPUT_BYTES'
  | 'KIND'
  | 'MESSAGE'
  | 'MESSAGE_ENDS'
  | 'NAME_FROM'
  | 'NAME_TO'
  | 'ROWS'
  | 'SCOPE'
  | 'SCOPE_BYTES'
  | 'SLACK'
  | 'STATUS'
  | 'TEXT'
  | 'TEXT_ENDS'
  | 'WIDE';

export type Kind = 'jsonSpans' | 'protobufSpans';

/** Places in the machine: of the input, and where no further span is to begin. */
export interface Part {
  readonly from: number;
  readonly end: number;
  readonly until: number;
}

/** How many spans became rows, and where the last one ends. */
export interface SpansRead {
  readonly rows: number;
  readonly after: number;
}

/** Numbers of an {@link Output} for rows that lie in the machine. */
class Codes {
  readonly name: Int32Array;
  readonly service: Int32Array;
  readonly resource: Int32Array;
  readonly scope: Int32Array;

  constructor(rows: number) {
    this.name = new Int32Array(rows);
    this.service = new Int32Array(rows);
    this.resource = new Int32Array(rows);
    this.scope = new Int32Array(rows);
  }
}

/**
 * The compiled module of a thread, with views of its columns. Rows stay in it over several scopes and requests: to move those
 * of ten spans costs as much as those of a thousand.
 */
export class Machine implements DeferredRows {
  readonly bytes: Uint8Array;
  readonly exports: Exports;
  private readonly places: Readonly<Record<Place, number>>;
  private readonly scratch = new TextBuilder();
  private readonly nothing: Uint32Array;
  private readonly codes: Codes;
  private readonly eventNames: Int32Array;
  private readonly nameRanges: readonly [Uint32Array, Uint32Array];
  private readonly eventNameRanges: readonly [Uint32Array, Uint32Array];
  /** Whose rows these are. */
  private owner: Output | undefined;
  private rows = 0;
  private events = 0;

  constructor() {
    const host = {
      writeDouble: (value: number, to: number) => this.write(value, to),
      writeDecimal: (from: number, end: number, to: number) => {
        const value = Number(Buffer.from(this.bytes.buffer, from, end - from).toString('latin1'));
        return Number.isNaN(value) ? 0 : this.write(value, to);
      },
    };
    const module = new WebAssembly.Module(Buffer.from(fastSpansWasm, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { host });
    this.exports = exports as Exports;
    this.places = placesOf(this.exports);
    this.bytes = new Uint8Array(this.exports.memory.buffer);
    const [rows, events] = [this.at('ROWS'), this.at('EVENTS')];
    this.nothing = new Uint32Array(rows + 1);
    this.codes = new Codes(rows);
    this.eventNames = new Int32Array(events);
    this.nameRanges = [this.u32('NAME_FROM', rows), this.u32('NAME_TO', rows)];
    this.eventNameRanges = [this.u32('EVENT_NAME_FROM', events), this.u32('EVENT_NAME_TO', events)];
    for (const [i, key] of jsonKeys.entries()) {
      const { written } = new TextEncoder().encodeInto(key, this.bytes.subarray(this.at('INPUT')));
      this.exports.addKey(this.at('INPUT'), written, i + 1);
    }
  }

  at(place: Place): number {
    return this.places[place];
  }

  /** Reads spans into rows of `out`. */
  read(out: Output, kind: Kind, part: Part): SpansRead {
    if (this.owner !== out || this.rows === this.at('ROWS')) this.release();
    this.owner = out;
    out.defer(this);
    const read = this.readMore(out, kind, part);
    if (read.rows > 0 || this.rows === 0 || !this.exports.isFull()) return read;
    this.release();
    return this.readMore(out, kind, part);
  }

  private readMore(out: Output, kind: Kind, { from, end, until }: Part): SpansRead {
    const { exports, codes, rows: before } = this;
    if (out.scopePairs.length > 0) this.bytes.set(out.scopePairs, this.at('SCOPE'));
    exports.setScope(out.scopePairs.length);
    const most = Math.min(this.at('ROWS'), before + Math.max(1, out.room.rows));
    const after = exports[kind](from, end, most, until);
    const rows = exports.rows();
    const events = exports.events();
    // Names lie in the input, over which the next one is written.
    nameRows(out, this.bytes, { ranges: this.nameRanges, codes: codes.name, from: before, to: rows });
    nameRows(out, this.bytes, { ranges: this.eventNameRanges, codes: this.eventNames, from: this.events, to: events });
    codes.service.fill(out.serviceCode, before, rows);
    codes.resource.fill(out.resourceCode, before, rows);
    codes.scope.fill(out.scopeCode, before, rows);
    this.rows = rows;
    this.events = events;
    return { after, rows: rows - before };
  }

  /** Moves the rows into the batch that they belong to. */
  release(): void {
    const { owner, rows, events } = this;
    if (!owner || rows === 0) return;
    this.moveSpans(owner, rows);
    if (events > 0) this.moveEvents(owner, events);
    this.rows = 0;
    this.events = 0;
    this.exports.clear();
  }

  private moveSpans(out: Output, count: number): void {
    const { codes } = this;
    const wide = (column: number) => this.wide('WIDE', column * this.at('ROWS'), count);
    out.batch.table('span').pushColumns(
      {
        trace_hi: wide(0),
        trace_lo: wide(1),
        span_id: wide(2),
        parent_id: wide(3),
        start_ns: signed(wide(4)),
        end_ns: signed(wide(5)),
        name: codes.name.subarray(0, count),
        service: codes.service.subarray(0, count),
        resource: codes.resource.subarray(0, count),
        scope: codes.scope.subarray(0, count),
        kind: this.bytes.subarray(this.at('KIND'), this.at('KIND') + count),
        status: this.bytes.subarray(this.at('STATUS'), this.at('STATUS') + count),
        flags: this.u32('FLAGS', count),
        dropped: this.u32('DROPPED', count),
        trace_state: { bytes: this.bytes.subarray(0, 0), offsets: this.nothing.subarray(0, count + 1) },
        status_message: this.texts('MESSAGE', 'MESSAGE_ENDS', count),
        attributes: this.texts('TEXT', 'TEXT_ENDS', count),
      },
      count,
    );
  }

  private moveEvents(out: Output, count: number): void {
    const wide = (column: number) => this.wide('EVENT_WIDE', column * this.at('EVENTS'), count);
    out.batch.table('span_event').pushColumns(
      {
        trace_hi: wide(0),
        trace_lo: wide(1),
        span_id: wide(2),
        time_ns: signed(wide(3)),
        name: this.eventNames.subarray(0, count),
        attributes: this.texts('EVENT_TEXT', 'EVENT_ENDS', count),
      },
      count,
    );
  }

  private wide(place: Place, from: number, count: number): BigUint64Array {
    return new BigUint64Array(this.bytes.buffer, this.at(place) + from * 8, count);
  }

  private u32(place: Place, count: number): Uint32Array {
    return new Uint32Array(this.bytes.buffer, this.at(place), count);
  }

  private texts(place: Place, ends: Place, count: number): TextColumn {
    const offsets = this.u32(ends, count + 1);
    const from = this.at(place);
    return { bytes: this.bytes.subarray(from, from + offsets[count]!), offsets };
  }

  private write(value: number, to: number): number {
    this.scratch.length = 0;
    appendDouble(this.scratch, value);
    this.bytes.set(this.scratch.bytes.subarray(0, this.scratch.length), to);
    return to + this.scratch.length;
  }
}

/** Numbers that every span needs, cached because globals of a module are slow. */
const placesOf = (exports: object): Record<Place, number> =>
  Object.fromEntries(
    Object.entries(exports).flatMap(([name, global]) =>
      typeof global === 'object' && typeof global.value === 'number' ? [[name, global.value]] : [],
    ),
  ) as Record<Place, number>;

interface NewNames {
  readonly ranges: readonly [from: Uint32Array, to: Uint32Array];
  readonly codes: Int32Array;
  readonly from: number;
  readonly to: number;
}

function nameRows(out: Output, bytes: Uint8Array, { ranges: [starts, ends], codes, from, to }: NewNames): void {
  for (let i = from; i < to; i++) codes[i] = out.nameOf(bytes, starts[i]!, ends[i]!);
}

const signed = ({ buffer, byteOffset, length }: BigUint64Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, length);

let machine: Machine | undefined | 'none';

/** One for each thread; none where processors or policies do not allow it. */
export function machineOfThread(): Machine | undefined {
  machine ??= machineIfAllowed() ?? 'none';
  return machine === 'none' ? undefined : machine;
}

function machineIfAllowed(): Machine | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  try {
    return new Machine();
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    return undefined;
  }
}
