import { asText, type Json } from '../bytes/json-access.ts';
import { readIsoTime } from '../log-record/moment.ts';

/** A line as its container runtime or shipper wrapped it, unwrapped. */
export interface Envelope {
  readonly text: string;
  /** When the runtime took the line, ns; undefined: no envelope. */
  readonly time_ns: bigint | undefined;
  /** `stdout`, `stderr`: lines of one do not continue those of the other; '' unknown. */
  readonly stream: string;
  /** The next line of the stream goes on where this one ends. */
  readonly partial: boolean;
  /** What a shipper added: Kubernetes names, host. */
  readonly fields: Json;
}

const nothing: Json = {};
/** Kubernetes container runtime interface: time, stream, tags (P: partial, F: full), text. */
const CRI =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})) (stdout|stderr) ([FP])(?::\S*)?(?: |$)/;
/** The members of Docker's json-file driver and of Fluent Bit's records around them. */
const DOCKER_START = /^\{"(?:log|stream|time|attrs|kubernetes|date|@timestamp)":/;

/** Takes the outermost envelope off a line; envelopes may lie inside each other. */
export function unwrap(line: string): Envelope {
  const first = line.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) {
    const match = CRI.exec(line);
    const time = match ? readIsoTime(match[1]!) : undefined;
    if (match && typeof time === 'bigint')
      return {
        text: line.slice(match[0].length),
        time_ns: time,
        stream: match[2]!,
        partial: match[3] === 'P',
        fields: nothing,
      };
  } else if (first === 0x7b && DOCKER_START.test(line)) return dockerLine(line) ?? bare(line);
  return bare(line);
}

const bare = (text: string): Envelope => ({ text, time_ns: undefined, stream: '', partial: false, fields: nothing });

function dockerLine(line: string): Envelope | undefined {
  if (!line.includes('"log":')) return undefined;
  const object = parseObject(line);
  if (!object || typeof object.log !== 'string') return undefined;
  const { log, stream, time, date: _, '@timestamp': stamp, ...fields } = object;
  const instant = readIsoTime(asText(time) || asText(stamp));
  if (typeof instant !== 'bigint' || (typeof stream !== 'string' && !('kubernetes' in fields))) return undefined;
  // The driver cuts lines at 16 KiB, and only the last part has the line end. Fluent Bit takes line ends off.
  const partial = !('kubernetes' in fields) && !log.endsWith('\n');
  return { text: log.replace(/\r?\n$/, ''), time_ns: instant, stream: asText(stream), partial, fields };
}

/** A line as a JSON object; undefined: it is none. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
