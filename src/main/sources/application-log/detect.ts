import type { FileHead } from '../../../model/storage/source.ts';
import { readLine } from '../log-lines/grammars.ts';
import type { Moment } from '../log-record/moment.ts';
import { CONTINUES, unwrapAll } from './records.ts';

const LINE_FEED = 0x0a;
const DECIDING_LINES = 60;
/** How many of the lines outside of stack traces must begin a record. */
const SHARE = 0.5;
const FIRST_LINES = 3;
/** What snmptrapd writes with each trap of SNMPv2 and SNMPv1. */
const TRAPS = /\bsnmpTrapOID\b|\bTrap \(\d+\) Uptime:/;

/** Whether most lines of a head are records of an application log; text in which a time now and then begins a line is none. */
export function detect(head: FileHead): boolean {
  const { text } = head;
  // A log of SNMP traps is a format of its own.
  if (text.includes('\0') || TRAPS.test(text)) return false;
  const all = text.split('\n', DECIDING_LINES + 1).filter((line) => line.trim() !== '');
  // The last line of a head may be cut, unless it is the only one.
  const lines = all.length > 1 && !text.endsWith('\n') ? all.slice(0, -1) : all;
  if (isTable(lines)) return false;
  const starts = lines.map(isRecord);
  const counted = lines.filter((line, i) => starts[i] || !(CONTINUES.test(line) || /^[})\]]/.test(line))).length;
  return starts.slice(0, FIRST_LINES).includes(true) && starts.filter(Boolean).length >= SHARE * counted;
}

/** A header of at least three columns, and as many in each row: a table of whatever its columns are. */
function isTable([header = '', ...rows]: readonly string[]): boolean {
  const columns = header.split(/[,;\t]/).length;
  if (columns < 3 || rows.length === 0 || /^[{[\d]/.test(header) || isRecord(header)) return false;
  return rows.filter((row) => row.split(/[,;\t]/).length === columns).length >= SHARE * rows.length;
}

function isRecord(line: string): boolean {
  const envelope = unwrapAll(line.replace(/\r$/, ''));
  if (envelope.time_ns !== undefined) return true;
  const read = readLine(envelope.text);
  if (!read) return false;
  if (!envelope.text.startsWith('{')) return true;
  // Any JSON may have a time; a log has a text or a level with it.
  return read.moment !== undefined && read.body !== '' && (read.severity > 0 || read.body.length > 0);
}

/** A line of a head that states a time, and what is known without its file. */
export interface TimedLine {
  readonly line: string;
  readonly moment: Moment;
}

/** The first lines of a text that state a time. */
export function timedLines(text: string): readonly TimedLine[] {
  return text.split('\n', DECIDING_LINES).flatMap((line) => {
    const { text: bare, time_ns } = unwrapAll(line);
    const moment = time_ns ?? readLine(bare)?.moment;
    return moment === undefined ? [] : [{ line, moment }];
  });
}

const decoder = new TextDecoder();
/** A stack trace has hardly more lines. */
const MOST_CONTINUED = 500;

/**
 * Where the last line with a time begins that is not the rest of a cut one, in bytes of whole lines; -1: the last lines have none.
 * What comes before is complete.
 */
export function lastTimedStart(bytes: Uint8Array): number {
  let end = bytes.lastIndexOf(LINE_FEED);
  let timed = -1;
  for (let count = 0; end >= 0 && count < MOST_CONTINUED; count++) {
    const from = end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    const { text, time_ns, partial } = unwrapAll(decoder.decode(bytes.subarray(from, end)).replace(/\r$/, ''));
    if (timed >= 0 && !partial) return timed;
    timed = time_ns !== undefined || readLine(text)?.moment !== undefined ? from : -1;
    end = from - 1;
  }
  return timed;
}
