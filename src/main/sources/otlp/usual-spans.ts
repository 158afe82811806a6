import { TextBuilder } from '../../../model/batch-builder.ts';
import type { TextColumn } from '../../../model/rows.ts';
import { appendDouble } from './json-text.ts';
import type { Output } from './output.ts';
import { usualSpansWasm } from './usual-spans-wasm.ts';

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

/** The compiled module of a thread, with views of its columns. */
class Machine {
  readonly bytes: Uint8Array;
  readonly exports: Exports;
  private readonly places: Readonly<Record<Place, { readonly value: number }>>;
  private readonly scratch = new TextBuilder();
  private readonly nothing: Uint32Array;

  constructor() {
    const host = {
      writeDouble: (value: number, to: number) => this.write(value, to),
      writeDecimal: (from: number, end: number, to: number) => {
        const value = Number(Buffer.from(this.bytes.buffer, from, end - from).toString('latin1'));
        return Number.isNaN(value) ? 0 : this.write(value, to);
      },
    };
    const module = new WebAssembly.Module(Buffer.from(usualSpansWasm, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { host });
    this.exports = exports as Exports;
    this.places = exports as typeof this.places;
    this.bytes = new Uint8Array(this.exports.memory.buffer);
    this.nothing = new Uint32Array(this.at('ROWS') + 1);
    for (const [i, key] of jsonKeys.entries()) {
      const { written } = new TextEncoder().encodeInto(key, this.bytes.subarray(this.at('INPUT')));
      this.exports.addKey(this.at('INPUT'), written, i + 1);
    }
  }

  at(place: Place): number {
    return this.places[place].value;
  }

  /** Moves the rows that were read last into a batch. */
  moveTo(out: Output): number {
    const count = this.exports.rows();
    const wide = (column: number) => this.wide('WIDE', column * this.at('ROWS'), count);
    const same = (code: number) => new Int32Array(count).fill(code);
    out.batch.table('span').pushColumns(
      {
        trace_hi: wide(0),
        trace_lo: wide(1),
        span_id: wide(2),
        parent_id: wide(3),
        start_ns: signed(wide(4)),
        end_ns: signed(wide(5)),
        name: this.names(out, this.u32('NAME_FROM', count), this.u32('NAME_TO', count)),
        service: same(out.serviceCode),
        resource: same(out.resourceCode),
        scope: same(out.scopeCode),
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
    if (this.exports.events() > 0) this.moveEventsTo(out, this.exports.events());
    return count;
  }

  private moveEventsTo(out: Output, count: number): void {
    const wide = (column: number) => this.wide('EVENT_WIDE', column * this.at('EVENTS'), count);
    out.batch.table('span_event').pushColumns(
      {
        trace_hi: wide(0),
        trace_lo: wide(1),
        span_id: wide(2),
        time_ns: signed(wide(3)),
        name: this.names(out, this.u32('EVENT_NAME_FROM', count), this.u32('EVENT_NAME_TO', count)),
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
    return { bytes: this.bytes.subarray(from, from + (offsets[count] as number)), offsets };
  }

  private names(out: Output, from: Uint32Array, to: Uint32Array): Int32Array {
    return Int32Array.from(from, (start, i) => out.nameOf(this.bytes, start, to[i] as number));
  }

  private write(value: number, to: number): number {
    this.scratch.length = 0;
    appendDouble(this.scratch, value);
    this.bytes.set(this.scratch.bytes.subarray(0, this.scratch.length), to);
    return to + this.scratch.length;
  }
}

const signed = ({ buffer, byteOffset, length }: BigUint64Array): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, length);

let machine: Machine | undefined | 'none';

/** One for each thread; none where processors or policies do not allow it. */
function machineOfThread(): Machine | undefined {
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

/** After so many spans in a row that were none of the usual ones, so many are not tried. */
const MOST_MISSES = 8;
const PAUSE = 64;

/**
 * Reads spans that are written as nearly all are, seven times as fast as the decoders beside it (`assembly/`, WebAssembly).
 * It only ever says what they would say: a span that is unusual, broken or to be rejected is left to them.
 */
export class UsualSpans {
  private readonly out: Output;
  private readonly kind: 'jsonSpans' | 'protobufSpans';
  private readonly machine = machineOfThread();
  /** Which part of the text lies in the machine's memory. */
  private start = 0;
  private end = 0;
  private misses = 0;
  private pause = 0;

  constructor(out: Output, kind: UsualSpans['kind']) {
    this.out = out;
    this.kind = kind;
  }

  /** Another text comes, perhaps at the same place. */
  open(): void {
    this.start = 0;
    this.end = 0;
  }

  /**
   * Reads spans from `position` of `bytes` on, where one begins; answers where the last one ends of which a row was made,
   * `position` when there is none. `base` is the stream offset of position 0.
   */
  read(bytes: Uint8Array, position: number, end: number, base: number): number {
    const { machine } = this;
    if (!machine || machine.at('SCOPE_BYTES') < this.out.scopePairs.length) return position;
    if (this.pause > 0) {
      this.pause--;
      return position;
    }
    if (position < this.start || position >= this.end) this.copy(machine, bytes, position, end);
    let after = this.attempt(machine, position, base);
    // It may be too long for what was left of the part.
    if (after === position && this.start < position && this.end < end && this.isCut(machine)) {
      this.copy(machine, bytes, position, end);
      after = this.attempt(machine, position, base);
    }
    this.misses = after === position ? this.misses + 1 : 0;
    if (this.misses >= MOST_MISSES) this.pause = PAUSE;
    return after;
  }

  private isCut(machine: Machine): boolean {
    return machine.exports.position() + machine.at('SLACK') > machine.at('INPUT') + this.end - this.start;
  }

  private copy(machine: Machine, bytes: Uint8Array, position: number, end: number): void {
    const input = machine.at('INPUT');
    const size = Math.min(end - position, machine.at('INPUT_BYTES'));
    machine.bytes.set(bytes.subarray(position, position + size), input);
    machine.bytes.fill(0, input + size, input + size + machine.at('SLACK'));
    this.start = position;
    this.end = position + size;
  }

  private attempt(machine: Machine, position: number, base: number): number {
    const { out, start, end } = this;
    const shift = machine.at('INPUT') - start;
    machine.bytes.set(out.scopePairs, machine.at('SCOPE'));
    machine.exports.setScope(out.scopePairs.length);
    const { rows, until } = out.room;
    const most = Math.min(machine.at('ROWS'), Math.max(1, rows));
    const after = machine.exports[this.kind](position + shift, end + shift, most, until - base + shift) - shift;
    if (after === position) return position;
    out.recordDone(base + after, machine.moveTo(out));
    return after;
  }
}
