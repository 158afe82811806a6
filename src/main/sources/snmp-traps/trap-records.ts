import type { Line } from '../bytes/lines.ts';
import { HEADER, SYSLOG, SYSLOG_NOTIFICATION, SYSLOG_TRAP, V1_TRAP, VARBIND } from './format.ts';

/** When a trap was received, by the log; the time parts of its notation. */
export type Clock =
  | { readonly form: 'local'; readonly text: string }
  | { readonly form: 'zoned'; readonly text: string }
  | { readonly form: 'no year'; readonly month: string; readonly day: number; readonly clock: string };

/** One trap as written in the log. */
export interface TrapRecord {
  readonly at: number;
  readonly clock: Clock;
  readonly host: string;
  /** The text in brackets: an address, or a transport with addresses. */
  readonly source: string;
  /** SNMP v1: the agent, or the transport. */
  readonly via: string;
  /** The rest: enterprise and kind of v1 traps, values. */
  body: string;
  raw: string;
}

/** A log line that is not part of a trap; chatter is output of the daemon itself or of other programs. */
export interface UnparsedLine {
  readonly at: number;
  readonly text: string;
  readonly chatter: boolean;
}

/** Longer records are no traps: a datagram is at most 64 KiB. */
const MAX_RECORD = 256 * 1024;
/** Messages of the daemon itself and about missing MIBs: hundreds of lines at each start. */
const CHATTER =
  /^(?:\d{4}-\d{1,2}-\d{1,2} [\d:]{7,8} )?(?:NET-SNMP version|Stopp(?:ed|ing)|Shutting down|Warning: no access control|Authentication failed|\S+ snmptrapd|Created directory: |MIB search path: |Cannot (?:find module|adopt OID)|Did not find '|Unlinked OID in |Undefined (?:identifier|OBJECT)|Bad operator \()/i;
/** A line of syslog, of any program. */
const SYSLOG_LINE =
  /^(?:<\d{1,3}>(?:1 )?)?(?:[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\S*) \S+ [\w./()-]+(?:\[\d+\])?[: ]/;

/** A line without a start continues the previous trap: its values may be on separate lines or span lines. */
export async function* readTraps(lines: AsyncIterable<Line>): AsyncGenerator<TrapRecord | UnparsedLine> {
  let open: TrapRecord | undefined;
  for await (const { text, at } of lines) {
    const begun = beginning(text, at);
    const other = !begun && (SYSLOG_LINE.test(text) || CHATTER.test(text));
    if (begun || other) {
      if (open) yield open;
      open = begun;
      if (other) yield { at, text, chatter: true };
    } else if (open) {
      if (open.raw.length + text.length > MAX_RECORD) continue;
      open.body += `\n${text}`;
      open.raw += `\n${text}`;
    } else if (text.trim() !== '' && !text.startsWith('#')) yield { at, text, chatter: false };
  }
  if (open) yield open;
}

function beginning(text: string, at: number): TrapRecord | undefined {
  const header = HEADER.exec(text)?.groups;
  if (header) {
    const { date = '', host = '', rest = '', source = '', time = '', via = '', zone } = header;
    const clock: Clock =
      zone === undefined
        ? { form: 'local', text: `${date} ${time}` }
        : { form: 'zoned', text: `${date}T${time}${zone}` };
    return { at, clock, host, source, via, body: rest.trim(), raw: text };
  }
  const syslog = SYSLOG.exec(text)?.groups;
  return syslog ? ofSyslog(syslog, text, at) : undefined;
}

function ofSyslog(
  groups: Readonly<Record<string, string | undefined>>,
  text: string,
  at: number,
): TrapRecord | undefined {
  const { clock = '', day = '', iso, month = '', year } = groups;
  // Daemons that escape control characters write tabs as #011.
  const rest = (groups.rest ?? '').replaceAll('#011', '\t');
  const found = (SYSLOG_NOTIFICATION.exec(rest) ?? SYSLOG_TRAP.exec(rest))?.groups;
  if (!found) return undefined;
  const when: Clock =
    iso === undefined
      ? year === undefined
        ? { form: 'no year', month, day: Number(day), clock }
        : { form: 'local', text: `${year} ${month} ${day} ${clock}` }
      : /(Z|[+-]\d{2}:?\d{2})$/.test(iso)
        ? { form: 'zoned', text: iso }
        : { form: 'local', text: iso };
  return {
    at,
    clock: when,
    host: found.host ?? '',
    source: found.source ?? '',
    via: '',
    body: found.rest ?? '',
    raw: text,
  };
}

/** The first trap must be among this many lines, not counting messages of the daemon itself. */
const FIRST_LINES = 60;

/** A log of traps has a trap among its first lines; other logs quote traps inside longer lines. */
export function isTrapLog(text: string): boolean {
  if (/^\s*[[{<]/.test(text) && !/^<\d{1,3}>/.test(text)) return false;
  const lines = text
    .split(/\r?\n/)
    .filter((line) => !CHATTER.test(line))
    .slice(0, FIRST_LINES);
  return lines.some((line, position) => {
    const begun = beginning(line, 0);
    if (!begun) return false;
    const body = [begun.body, ...lines.slice(position + 1, position + 4)].join('\n');
    return V1_TRAP.test(body) || VARBINDS.test(body);
  });
}
const VARBINDS = new RegExp(VARBIND.source);
