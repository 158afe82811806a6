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
  const bytes = fromBase64 ? fromBase64(text) : (platform.Buffer as NodeBuffer).from(text, 'base64');
  return new Uint8Array(bytes).buffer;
}

const typedArray = (type: number, View: new (buffer: ArrayBuffer) => ArrayBufferView): WireSerializer => ({
  type,
  condition: (value) => value instanceof View,
  serialize: (value) => encode(value as ArrayBufferView),
  deserialize: (value) => new View(decode(String(value))),
});

/** Where a value stands takes 4 bytes, itself 8: below half of them it is shorter to tell only those that are numbers. */
const SPARSE = 0.5;

/** Columns of long windows hold few samples: what is no number is left out, as `length:places:values`. */
const numbers: WireSerializer = {
  type: 30,
  condition: (value) => value instanceof Float64Array,
  serialize: (value) => {
    const column = value as Float64Array;
    let count = 0;
    for (let at = 0; at < column.length; at++) if (!Number.isNaN(column[at])) count++;
    if (count >= column.length * SPARSE) return encode(column);
    const places = new Int32Array(count);
    const values = new Float64Array(count);
    for (let at = 0, to = 0; at < column.length; at++) {
      if (Number.isNaN(column[at])) continue;
      places[to] = at;
      values[to++] = column[at] as number;
    }
    return `${column.length}:${encode(places)}:${encode(values)}`;
  },
  deserialize: (text) => {
    const [first = '', ...sparse] = String(text).split(':');
    if (sparse.length === 0) return new Float64Array(decode(first));
    const column = new Float64Array(Number(first)).fill(Number.NaN);
    const places = new Int32Array(decode(sparse[0] ?? ''));
    const values = new Float64Array(decode(sparse[1] ?? ''));
    for (let at = 0; at < places.length; at++) column[places[at] as number] = values[at] as number;
    return column;
  },
};

export const wireSerializers: readonly WireSerializer[] = [
  numbers,
  typedArray(31, Int32Array),
  typedArray(32, Uint8Array),
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
  given?(): {
    readonly name: string;
    fetch(onProgress: (done: number, total: number) => void, signal: AbortSignal): Promise<unknown>;
  } | null;
}
export const DESKTOP_PORT_MESSAGE = 'faultline:port';
