/**
 * How contract values that JSON lacks cross a wire. Used on both ends by every transport of the RPC library;
 * bigint and Date are its own business already.
 */
interface WireSerializer {
  readonly type: number;
  condition(value: unknown): boolean;
  serialize(value: unknown): unknown;
  deserialize(value: unknown): unknown;
}

interface Base64 {
  toBase64(): string;
}
interface NodeBuffer {
  from(
    data: ArrayBufferLike | string,
    at?: number | 'base64',
    length?: number,
  ): Uint8Array & { toString(encoding: 'base64'): string };
}
const platform = globalThis as unknown as { Buffer?: NodeBuffer };
const fromBase64 = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;

// Browsers have the standard methods; Node 24 does not yet, but has Buffer.
function encode(view: ArrayBufferView): string {
  if (platform.Buffer) return platform.Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  return (new Uint8Array(view.buffer, view.byteOffset, view.byteLength) as unknown as Base64).toBase64();
}

/** Always a fresh, aligned buffer: a pooled Node Buffer must not leak into a Float64Array. */
function decode(text: string): ArrayBuffer {
  const bytes = fromBase64 ? fromBase64(text) : platform.Buffer!.from(text, 'base64');
  return new Uint8Array(bytes).buffer;
}

type Column = Float64Array | Int32Array | Uint8Array;
type Whole = Uint8Array | Uint16Array | Uint32Array;
type Make<T> = new (of: ArrayBuffer | number | Column | Whole | Float32Array) => T;

/** Whole numbers above the lowest of a column, by what is enough for the highest. */
const widths: readonly { readonly letter: string; readonly most: number; readonly View: Make<Whole> }[] = [
  { letter: 'b', most: 0xff, View: Uint8Array },
  { letter: 'h', most: 0xffff, View: Uint16Array },
  { letter: 'w', most: 0xffff_ffff, View: Uint32Array },
];
/** Positions need space, too: below one half it is shorter to send only the numbers with their positions. */
const SPARSE = 0.5;
/** Longer than any answer; who sends a length cannot make the other side take all of its memory. */
const LONGEST = 2 ** 27;

/**
 * A column as text, short without loss: `c:length:value` where all are alike, `b:` `h:` `w:` and the lowest where whole
 * numbers fit into 1, 2 or 4 bytes above it, `s:length:places|values` where most are no numbers, `f:` where 4 bytes hold
 * each, `d:` and the first where whole numbers are less than 2^31 apart from one to the next, as the times of a trace in their
 * order, else `r:` and what it is in memory. Durations, codes and counts are mostly small: a trace of 100 000 spans takes
 * half of the room.
 */
function packed(column: Column): string {
  const [first = 0] = column;
  const { low, high, gaps, isSame, isWhole, isSingle } =
    column instanceof Float64Array ? rangeOf(column) : wholeRangeOf(column);
  if (isSame) return `c:${column.length}:${Object.is(first, -0) ? '-0' : first}`;
  const width = isWhole ? widths.find(({ most }) => high - low <= most) : undefined;
  if (width) {
    // What fits as it is is converted by the engine, many times as fast as by a loop.
    if (low >= 0 && high <= width.most) return `${width.letter}:0:${encode(new width.View(column))}`;
    const above = new width.View(column.length);
    for (let at = 0; at < column.length; at++) above[at] = column[at]! - low;
    return `${width.letter}:${low}:${encode(above)}`;
  }
  if (gaps > column.length * SPARSE) return sparse(column, column.length - gaps);
  if (isSingle) return `f:${encode(new Float32Array(column))}`;
  const steps = isWhole && Math.max(-low, high) <= Number.MAX_SAFE_INTEGER ? stepsOf(column) : null;
  return steps ? `d:${first}:${encode(steps)}` : `r:${encode(column)}`;
}

const LARGEST_STEP = 0x7fff_ffff;

/** From each number to the next, the first from itself; null: one is too far. */
function stepsOf(column: Column): Int32Array | null {
  const steps = new Int32Array(column.length);
  for (let at = 1; at < column.length; at++) {
    const step = column[at]! - column[at - 1]!;
    if (step > LARGEST_STEP || step < -LARGEST_STEP) return null;
    steps[at] = step;
  }
  return steps;
}

function summed<T extends Column>(first: number, text: string, View: Make<T>): T {
  const steps = new Int32Array(decode(text));
  const column = new View(steps.length);
  let value = first;
  for (let at = 0; at < steps.length; at++) {
    value += steps[at]!;
    column[at] = value;
  }
  return column;
}

interface Range {
  readonly low: number;
  readonly high: number;
  /** Values that are no numbers. */
  readonly gaps: number;
  readonly isSame: boolean;
  readonly isWhole: boolean;
  /** Each is a number of single precision, or none. */
  readonly isSingle: boolean;
}

function rangeOf(column: Float64Array): Range {
  const [first = 0] = column;
  let [low, high, gaps] = [first, first, 0];
  let isSame = true;
  let isWhole = true;
  let isSingle = true;
  for (let at = 0; at < column.length; at++) {
    const value = column[at]!;
    isSingle &&= Object.is(Math.fround(value), value);
    isSame &&= Object.is(value, first);
    isWhole &&= Number.isInteger(value) && !Object.is(value, -0);
    if (value < low) low = value;
    if (value > high) high = value;
    if (Number.isNaN(value)) gaps++;
  }
  return { low, high, gaps, isSame, isWhole, isSingle };
}

function wholeRangeOf(column: Int32Array | Uint8Array): Range {
  let [low = 0, high = low] = [column[0], column[0]];
  for (let at = 0; at < column.length; at++) {
    const value = column[at]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high, gaps: 0, isSame: low === high, isWhole: true, isSingle: false };
}

function sparse(column: Column, count: number): string {
  const places = new Int32Array(count);
  const values = new Float64Array(count);
  for (let at = 0, to = 0; at < column.length; at++) {
    if (Number.isNaN(column[at])) continue;
    places[to] = at;
    values[to++] = column[at]!;
  }
  return `s:${column.length}:${packed(places)}|${packed(values)}`;
}

/** @throws RangeError of what `packed` does not write */
function unpacked<T extends Column>(text: string, View: Make<T>): T {
  const [letter, first = '', second = ''] = text.split(':', 3);
  if (letter === 'r') return new View(decode(first));
  if (letter === 'f') return new View(new Float32Array(decode(first)));
  if (letter === 'd') return summed(Number(first), second, View);
  const width = widths.find((one) => one.letter === letter);
  if (width) {
    const above = new width.View(decode(second));
    const column = new View(above);
    const low = Number(first);
    if (low !== 0) for (let at = 0; at < above.length; at++) column[at] = low + above[at]!;
    return column;
  }
  const length = Number(first);
  if ((letter !== 'c' && letter !== 's') || !(length <= LONGEST)) throw new RangeError('no column of numbers');
  if (letter === 'c') return new View(length).fill(Number(second)) as T;
  const [places = '', values = ''] = text.slice(`s:${first}:`.length).split('|');
  const column = new View(length).fill(Number.NaN) as T;
  const known = unpacked(values, Float64Array);
  for (const [at, place] of unpacked(places, Int32Array).entries()) column[place] = known[at]!;
  return column;
}

const columnOf = <T extends Column>(type: number, View: Make<T>): WireSerializer => ({
  type,
  condition: (value) => value instanceof View,
  serialize: (value) => packed(value as T),
  deserialize: (text) => unpacked(String(text), View),
});

export const wireSerializers: readonly WireSerializer[] = [
  columnOf(30, Float64Array),
  columnOf(31, Int32Array),
  columnOf(32, Uint8Array),
];

/** Error code under which an expected failure crosses; its `data` is the Problem of `model/problem.ts`. */
export const PROBLEM_CODE = 'FAULTLINE_PROBLEM';

/** Paths of the loopback web host. */
export const WEB_SOCKET_PATH = '/ws';
/** POST a dropped file's bytes here as `?name=…`; answers a FileHandle as JSON. */
export const WEB_UPLOAD_PATH = '/upload';
/** Bundles that the page asked for; `?handle=`. */
export const WEB_DOWNLOAD_PATH = '/download';

/** The whole of what the preload, or the page of the viewer, puts on `window.faultline`. */
export interface DesktopBridge {
  /** Asks main for a connection; it arrives as a window message `{ type: DESKTOP_PORT_MESSAGE }` with one port. */
  connect(): void;
  /** Turns a dropped File into a handle; its path goes to main and never to the page. */
  adoptFile(file: unknown): Promise<{ readonly handle: string; readonly name: string; readonly bytes: number }>;
  /** A file that was made for this window, a Blob; left out where the host writes files itself. */
  fetchFile?(handle: string): Promise<unknown>;
  /** A file that the address of the page names; null: none. `fetch` answers with a File. */
  linkedBundle?(): {
    readonly name: string;
    fetch(onProgress: (done: number, total: number) => void, signal: AbortSignal): Promise<unknown>;
  } | null;
}
export const DESKTOP_PORT_MESSAGE = 'faultline:port';
/** From main to the page: `link`, a place that the system's link named, checked; null: it was refused. */
export const DESKTOP_LINK_MESSAGE = 'faultline:link';
