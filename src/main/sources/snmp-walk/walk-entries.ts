import type { Line } from '../bytes/lines.ts';
import { resolveOid } from '../snmp/object-names.ts';
import type { SnmpValue } from '../snmp/snmp-value.ts';
import { readWrittenValue } from '../snmp/written-value.ts';
import { TYPED, WALK_LINE } from './format.ts';
import { readSnmprecLine } from './snmprec-line.ts';

/** One value of the text, an object whose name is in no known MIB, or an unreadable part. */
export type WalkEntry =
  | { readonly at: number; readonly oid: string; readonly value: SnmpValue }
  | { readonly at: number; readonly unknown: string }
  | { readonly at: number; readonly reason: string; readonly excerpt: string };

/** Longer values are no readings; their further lines are left out. */
const MAX_VALUE = 64 * 1024;

export async function* readSnmprec(lines: AsyncIterable<Line>): AsyncGenerator<WalkEntry> {
  for await (const { text, at } of lines) {
    if (text.trim() === '' || text.startsWith('#')) continue;
    const read = readSnmprecLine(text);
    yield typeof read === 'string' ? { at, reason: read, excerpt: text } : { at, ...read };
  }
}

interface Pending {
  readonly at: number;
  readonly written: string;
  value: string;
}

/** A line that starts no value continues the previous one: strings and hexadecimal dumps span lines. */
export async function* readWalkText(lines: AsyncIterable<Line>): AsyncGenerator<WalkEntry> {
  let pending: Pending | undefined;
  let style: 'equals' | 'blank' | undefined;
  for await (const { text, at } of lines) {
    const begun = beginning(text, style, pending);
    if (begun) {
      style ??= begun.style;
      if (pending) yield finish(pending);
      pending = { at, written: begun.written, value: begun.value };
    } else if (pending) {
      if (pending.value.length < MAX_VALUE) pending.value += `\n${text}`;
    } else if (text.trim() !== '' && !/^[#$]|^(snmp|Created directory|MIB search path|Cannot find module)/.test(text)) {
      yield { at, reason: 'not of the form OID = TYPE: value', excerpt: text };
    }
  }
  if (pending) yield finish(pending);
}

function beginning(text: string, style: 'equals' | 'blank' | undefined, pending: Pending | undefined) {
  const match = WALK_LINE.exec(text);
  if (!match) return undefined;
  const [, written = '', value = ''] = match;
  const equals = /^ =( |$)/.test(text.slice(written.length));
  // A walk writes every line in one way; within an open string only that format can start the next value.
  if (style !== undefined && equals !== (style === 'equals')) return undefined;
  if (!equals && (openString(pending?.value ?? '') || (!/[.:]/.test(written) && resolveOid(written) === undefined)))
    return undefined;
  return { written, value, style: equals ? ('equals' as const) : ('blank' as const) };
}

/** A quoted string that has not been closed yet. */
function openString(value: string): boolean {
  if (value.length >= MAX_VALUE) return false;
  const quoted = /^(?:STRING: )?(".*)$/s.exec(value.trim())?.[1];
  return quoted !== undefined && !/^"(?:[^"\\]|\\.)*"$/s.test(quoted);
}

function finish({ at, value, written }: Pending): WalkEntry {
  const oid = resolveOid(written);
  return oid === undefined ? { at, unknown: written } : { at, oid, value: readWrittenValue(value) };
}

/** Which of the two formats this text starts with, if it is distinctive. */
export function walkTextOf(text: string): 'snmprec' | 'walk' | undefined {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !/^[#$]/.test(line))
    .slice(0, 6);
  // The last line may be cut off.
  const whole = lines.length > 1 && !text.endsWith('\n') ? lines.slice(0, -1) : lines;
  if (whole.length === 0) return undefined;
  const recorded = whole.filter((line) => typeof readSnmprecLine(line) !== 'string').length;
  if (typeof readSnmprecLine(whole[0]!) !== 'string' && recorded * 3 >= whole.length * 2) return 'snmprec';
  // Traps list their values in the same format, but no agent answers a poll for a trap's name.
  if (/snmpTrapOID|\.?1\.3\.6\.1\.6\.3\.1\.1\.4\.1\.0/.test(text)) return undefined;
  const first = WALK_LINE.exec(whole[0]!);
  if (!first) return undefined;
  const begun = whole.filter((line) => isWalkLine(line)).length;
  return begun * 2 > whole.length && isWalkLine(whole[0]!) ? 'walk' : undefined;
}

/** With a type, or an OID of the internet tree: other texts have pairs of words and numbers too. */
function isWalkLine(line: string): boolean {
  const [, written = '', value = ''] = WALK_LINE.exec(line) ?? [];
  if (written === '') return false;
  const numeric = /^\.?(1|iso)\.3\.6\.1\./.test(written);
  if (/^ = /.test(line.slice(written.length)) && TYPED.test(value)) return true;
  return value !== '' && (numeric || (/::/.test(written) && resolveOid(written) !== undefined));
}
