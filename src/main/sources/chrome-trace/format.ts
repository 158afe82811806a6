/**
 * Trace Event Format of Chrome and Perfetto (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU),
 * as PyTorch's Kineto writes it too (libkineto/src/output_json.cpp). `ts` and `dur` are microseconds, with a fraction.
 */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an event is, by its phase letter; phases that are not here are left out. */
const phases = {
  X: 'complete',
  B: 'begin',
  E: 'end',
  i: 'instant',
  I: 'instant',
  R: 'instant',
  C: 'counter',
  M: 'metadata',
  s: 'flow start',
  t: 'flow step',
  f: 'flow end',
  b: 'async begin',
  e: 'async end',
  n: 'async instant',
  S: 'async begin',
  F: 'async end',
  T: 'async instant',
  p: 'async instant',
} as const;
export type Phase = (typeof phases)[keyof typeof phases];

export interface TraceEvent {
  readonly phase: Phase;
  readonly name: string;
  readonly category: string;
  readonly pid: string;
  readonly tid: string;
  /** Microseconds from whatever the trace counts from. */
  readonly ts: number;
  /** Of complete events: NaN when the recording ended first. */
  readonly dur: number;
  /** What ties asynchronous and flow events together; '' for others. */
  readonly id: string;
  readonly args: Members;
  readonly record: Members;
}

export interface BadEvent {
  readonly reason: string;
}

/** An event with its values checked; undefined for phases that have no place here. */
export function readEvent(value: unknown): TraceEvent | BadEvent | undefined {
  if (!isMembers(value)) return { reason: 'the event is not an object' };
  const letter = value['ph'];
  if (typeof letter !== 'string') return { reason: 'the event has no phase' };
  if (!Object.hasOwn(phases, letter)) return undefined;
  const phase = phases[letter as keyof typeof phases];
  const ts = numberOf(value['ts']);
  if (ts === undefined && phase !== 'metadata') return { reason: 'the event has no time' };
  const dur = value['dur'] === undefined ? Number.NaN : numberOf(value['dur']);
  if (dur === undefined || dur < 0) return { reason: 'the duration is no number of microseconds' };
  return {
    phase,
    name: nameOf(value['name']),
    category: nameOf(value['cat']),
    pid: nameOf(value['pid']),
    tid: nameOf(value['tid']),
    ts: ts ?? 0,
    dur,
    id: phase.startsWith('async') || phase.startsWith('flow') ? idOf(value) : '',
    args: isMembers(value['args']) ? value['args'] : {},
    record: value,
  };
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) < 9e15 ? number : undefined;
}

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Ids are unique per category, scope and, if marked as local, process. */
function idOf(event: Members): string {
  const { id2 } = event;
  const local = isMembers(id2) ? nameOf(id2['local']) : '';
  const id = nameOf(event['id']) || (isMembers(id2) ? nameOf(id2['global']) : '') || local;
  // Legacy flows and asynchronous events are also distinguished by name.
  const name = /^[stfSTFp]$/.test(String(event['ph'])) ? nameOf(event['name']) : '';
  return `${nameOf(event['cat'])}\n${nameOf(event['scope'])}\n${name}\n${local ? nameOf(event['pid']) : ''}\n${id}`;
}
