/**
 * The two text formats for answers of SNMP agents.
 *
 * snmprec (https://docs.lextudio.com/snmpsim/documentation/managing-simulation-data): `OID|tag|value`, where the tag is
 * the BER type, with `x` for a value in hexadecimal and `e` for one with escapes.
 *
 * The output of snmpwalk (https://www.net-snmp.org/docs/man/snmpcmd.html, OUTPUT OPTIONS), one value per line with
 * numbers (`-On`) or names, with types or without (`-Oq`, `-OQ`).
 */

/** Types of snmprec; 2 Integer32, 4 OctetString, 5 Null, 6 OID, 64 IpAddress, 65 Counter32 and so on. */
export const tags = {
  2: 'number',
  4: 'text',
  5: 'none',
  6: 'oid',
  64: 'address',
  65: 'number',
  66: 'number',
  67: 'ticks',
  68: 'text',
  70: 'number',
} as const;
export type Tag = keyof typeof tags;

/** An OID has at most 128 numbers; an unbounded pattern overflows the stack on a hostile line. */
export const SNMPREC_LINE = /^\.?(\d{1,10}(?:\.\d{1,10}){1,200})\|([^|]{1,40})\|(.*)$/s;

/** A line that starts a value: the object, ` = ` or (with `-Oq`) a blank, the value. */
export const WALK_LINE =
  /^(\.?\d{1,10}(?:\.\d{1,10}){3,200}|\.?iso(?:\.[\w-]+){2,200}|[A-Za-z][\w-]*::[A-Za-z][\w-]*(?:\.\S+)?|[A-Za-z][\w-]*(?:\.\d{1,10}){1,200})(?: = | =$|[ \t]+|$)(.*)$/s;
/** Value types that net-snmp writes. */
export const TYPED =
  /^(INTEGER|Gauge32|Counter32|Counter64|Timeticks|STRING|Hex-STRING|OID|IpAddress|Network Address|BITS|Opaque|UInteger32|Unsigned32|NULL|""|No Such |No more variables|Wrong Type)/;
