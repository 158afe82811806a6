import { asObject, asText, type Json } from '../bytes/json-access.ts';
import { parsePythonJson } from '../bytes/python-json.ts';
import { readIsoTime } from '../log-record/moment.ts';

/** A line as its container runtime or shipper wrapped it, unwrapped. */
export interface Envelope {
  readonly text: string;
  /** When the runtime took the line, ns; undefined: no envelope. */
  readonly time_ns: bigint | undefined;
  /** Lines of one stream do not continue those of another: `stdout`, `stderr`, labels of a store; '' unknown. */
  readonly stream: string;
  /** `stdout` or `stderr`, where the stream is named by more. */
  readonly stdio?: string;
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

const TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})`;
/** logcli (Grafana Loki) prints time, labels that differ, text: `2026-05-01T14:04:18Z {pod="a"} text`. */
const LABELLED = new RegExp(String.raw`^(${TIME}) \{((?:[\w.]{1,200}="(?:[^"\\]|\\.){0,2000}"(?:, ?)?){0,64})\} ?`);
const LABEL = /([\w.]+)="((?:[^"\\]|\\.)*)"/g;
/**
 * Exports of CloudWatch Logs and `kubectl logs --timestamps` put the time of the store before each line, also before those of a stack trace.
 * Other text behind a time may be all one line of the program's own.
 */
const STAMPED = new RegExp(
  String.raw`^(${TIME}) (?=\{"|\t| {2}File "| {4,40}(?!\s|(?:TRACE|DEBUG|INFO|WARN|ERROR)\b)|Traceback \(most recent call last\)|Caused by:|\.{3} \d+ more|[A-Za-z_][\w.]{0,150}(?:Error|Exception)(?::|$))`,
);
/** logcli with `--output=jsonl`. */
const LABELLED_JSON = /^\{"(?:labels|line|timestamp)":/;

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
    return labelled(line) ?? stamped(line) ?? bare(line);
  } else if (first === 0x7b && DOCKER_START.test(line)) return dockerLine(line) ?? bare(line);
  else if (first === 0x7b && LABELLED_JSON.test(line)) return labelledJson(line) ?? bare(line);
  return bare(line);
}

function labelled(line: string): Envelope | undefined {
  const match = line.charCodeAt(10) === 0x54 ? LABELLED.exec(line) : null;
  const time = match ? readIsoTime(match[1]!) : undefined;
  if (!match || typeof time !== 'bigint') return undefined;
  const fields = Object.fromEntries(
    [...match[2]!.matchAll(LABEL)].map(([, name, value]) => [name, value!.replaceAll(/\\(.)/g, '$1')]),
  );
  return labelledLine(line.slice(match[0].length), time, fields);
}

function labelledJson(line: string): Envelope | undefined {
  const object = line.includes('"line":') ? parseObject(line) : undefined;
  const time = readIsoTime(asText(object?.timestamp));
  if (!object || typeof object.line !== 'string' || typeof time !== 'bigint' || !('labels' in object)) return undefined;
  return labelledLine(object.line, time, asObject(object.labels));
}

const labelledLine = (text: string, time_ns: bigint, { stream, ...fields }: Json): Envelope => ({
  text: text.replace(/\r?\n$/, ''),
  time_ns,
  stream: JSON.stringify({ stream, ...fields }),
  stdio: asText(stream),
  partial: false,
  fields,
});

function stamped(line: string): Envelope | undefined {
  const match = line.charCodeAt(10) === 0x54 ? STAMPED.exec(line) : null;
  const time = match ? readIsoTime(match[1]!) : undefined;
  return match && typeof time === 'bigint' ? { ...bare(line.slice(match[0].length)), time_ns: time } : undefined;
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
    const value = parsePythonJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
