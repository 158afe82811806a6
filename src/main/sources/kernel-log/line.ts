import { digitsToClock, fractionToNanoseconds, monthNumber, type WallClock } from '../../../model/local-time.ts';
import { severityOfWord } from '../log-record/level.ts';

/** When a line was written, if stated. */
export type Stamp =
  /** RFC 3339 with its zone. */
  | { readonly kind: 'instant'; readonly text: string }
  /** A wall clock in a zone that the line does not name; syslog leaves out the year as well (0). */
  | {
      readonly kind: 'local';
      readonly clock: WallClock;
      /** dmesg -T: computed from the time since boot, which stops while the machine sleeps. */
      readonly reckoned?: boolean;
    }
  /** Since boot. */
  | { readonly kind: 'uptime'; readonly ns: bigint }
  | { readonly kind: 'none' };

/** One line of a kernel log or syslog, taken apart. */
export interface KernelLine {
  readonly stamp: Stamp;
  readonly host: string;
  /** `kernel`, `sshd`; '' if the line is the kernel's own and names no program. */
  readonly program: string;
  /** syslog level 0 (emergency) to 7 (debug); -1: not stated. */
  readonly level: number;
  readonly message: string;
}

const levels = ['emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug'];
const uptime = (seconds: string, fraction: string): Stamp => ({
  kind: 'uptime',
  ns: BigInt(seconds) * 1_000_000_000n + BigInt(fractionToNanoseconds(fraction)),
});

/** Microseconds and seconds since boot: no machine runs for more than 31 years. */
const KMSG = /^(\d{1,4}),(\d+),(\d{1,15}),[^;]*;(.*)$/;
const DECODED = /^([a-z]+)\s*:([a-z]+)\s*: /;
const PRIORITY = /^<(\d{1,3})>(?:\d+ )?/;
const UPTIME = /^\[\s*(\d{1,9})\.(\d{1,9})\](?:\[[^\]]*\])? ?/;
const CTIME = /^\[[A-Z][a-z]{2} ([A-Z][a-z]{2})\s+(\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})\] ?/;
const ISO = /^\[?(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?)\s?(Z|[+-]\d{2}:?\d{2})?\]? ?/;
/** SONiC writes the year before it, Cisco's systems after the day. */
const SYSLOG = /^(?:(\d{4}) )?([A-Z][a-z]{2})\s+(\d{1,2}) (?:(\d{4}) )?(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))? /;
/** Times as only dmesg writes them: `-T` in brackets, `--time-format iso` with microseconds after a comma. */
export const DMESG = /^(?:\[[A-Z][a-z]{2} |\d{4}-\d{2}-\d{2}T[\d:]{8},\d{6}[+-]\d{2}:\d{2} )/;
/** What follows a syslog time: host, program, perhaps its process number. */
const SENDER = /^(\S+) ([^\s:[]+)(?:\([^)]*\))?(?:\[\d+\])?: ?/;

/** SONiC: `leaf-1 NOTICE swss#orchagent: `, where a host stands before a level. */
const LEVELLED = /^(\S+) (EMERG|ALERT|CRIT|ERR|WARNING|NOTICE|INFO|DEBUG) ([^\s:[]+)(?:\[\d+\])?: ?/;

/** A host name or address, without the brackets and bars of other logs. */
const HOST = /^[A-Za-z0-9][\w.:%-]*(?<!:)$/;

/** Takes a line apart; a line without any of the known prefixes is all message. */
export function parseLine(text: string): KernelLine {
  const kmsg = KMSG.exec(text);
  if (kmsg) {
    const [, priority = '0', , microseconds = '0', message = ''] = kmsg;
    return {
      stamp: { kind: 'uptime', ns: BigInt(microseconds) * 1000n },
      host: '',
      program: '',
      level: Number(priority) & 7,
      message,
    };
  }
  let rest = text;
  let level = -1;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(match[0].length);
    return match;
  };
  const priority = take(PRIORITY);
  if (priority) level = Number(priority[1]) & 7;
  const decoded = DECODED.exec(rest);
  if (decoded && levels.includes(decoded[2]!)) {
    level = levels.indexOf(decoded[2]!);
    rest = rest.slice(decoded[0].length);
  }
  // dmesg names no host in any of its forms, and its messages look like senders: `pcieport 0000:00:01.0: AER`.
  const isDmesg = decoded !== null || DMESG.test(rest);
  const outer = takeStamp(take);
  const isSent = !isDmesg && outer.kind !== 'none' && outer.kind !== 'uptime';
  const levelled = isSent && HOST.test(rest.split(' ', 1)[0]!) ? take(LEVELLED) : null;
  if (levelled) level = severityOfLevel(levelled[2]!);
  const named = isSent && !levelled ? takeSender(take, rest) : null;
  // Inside a syslog line the kernel may repeat its own clock; alone it is all there is.
  const inner = outer.kind === 'none' ? outer : takeUptime(take);
  const stamp = outer.kind === 'none' ? inner : outer;
  const [host, program] = levelled ? [levelled[1], levelled[3]] : [named?.[1], named?.[2]];
  return { stamp, host: host ?? '', program: program ?? '', level, message: rest };
}

/** `WARNING` is `warn` of the kernel. */
const severityOfLevel = (word: string): number => levels.findIndex((one) => word.toLowerCase().startsWith(one));

/** `ERROR trainer: ...` is how programs write their own logs: a level is no machine. */
function takeSender(take: Take, rest: string): RegExpExecArray | null {
  const [, host = '', program = ''] = SENDER.exec(rest) ?? [];
  return HOST.test(host) && severityOfWord(host) === 0 && severityOfWord(program) === 0 ? take(SENDER) : null;
}

type Take = (pattern: RegExp) => RegExpExecArray | null;

function takeUptime(take: Take): Stamp {
  const match = take(UPTIME);
  return match ? uptime(match[1]!, match[2]!) : { kind: 'none' };
}

function takeStamp(take: Take): Stamp {
  const since = takeUptime(take);
  if (since.kind !== 'none') return since;
  const c = take(CTIME);
  if (c) return { ...local(c[6]!, c[1]!, c.slice(2, 6), ''), reckoned: true };
  const iso = take(ISO);
  if (iso) {
    const text = iso[1]!.replace(',', '.');
    if (iso[2]) return { kind: 'instant', text: `${text}${iso[2]}` };
    return { kind: 'local', clock: digitsToClock(text.split(/[-T :.]/)) };
  }
  const syslog = take(SYSLOG);
  if (!syslog) return { kind: 'none' };
  const [, before, month = '', day = '', after, ...time] = syslog;
  return local(before ?? after ?? '0', month, [day, ...time.slice(0, 3)], time[3] ?? '');
}

function local(
  year: string,
  month: string,
  rest: readonly string[],
  fraction: string,
): Stamp & { readonly kind: 'local' } {
  const [day = '', hour = '', minute = '', second = ''] = rest;
  return {
    kind: 'local',
    clock: {
      year: Number(year),
      month: monthNumber(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      nanosecond: fractionToNanoseconds(fraction),
    },
  };
}
