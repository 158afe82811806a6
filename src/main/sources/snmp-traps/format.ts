/**
 * Logs of snmptrapd (https://www.net-snmp.org/docs/man/snmptrapd.html, FORMAT SPECIFICATIONS): its standard output and
 * its syslog output, for SNMP v1 traps and for v2c and v3 notifications, with names or with numbers (`-On`, `-Of`).
 */

/** `2026-01-01 10:00:00 ups-b [UDP: [10.0.0.5]:161->[10.0.0.1]:162]:` and the v1 form with `(via …)`. */
export const HEADER =
  /^(?<date>\d{4}-\d{1,2}-\d{1,2})[ T](?<time>\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(?<zone>Z|[+-]\d{2}:?\d{2})? (?<host>\S+) \[(?<source>(?:[^[\]]|\[[^[\]]*\])*)\](?: ?\(via (?<via>[^()]*)\))?(?::| (?=TRAP)|$)(?<rest>.*)$/;

/** Prefix of a syslog line: RFC 3164 or RFC 5424 times, host, program. */
export const SYSLOG =
  /^(?:<\d{1,3}>(?:1 )?)?(?:(?<iso>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)|(?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) (?:(?<year>\d{4}) )?(?<clock>\d{2}:\d{2}:\d{2}))[ ]\S+ snmptrapd(?:\[\d{1,10}\])?(?: \d+ - -)?: (?<rest>.*)$/;
/** `ups-b [UDP: [10.0.0.5]:161->[10.0.0.1]:162]: Trap , OID = …` of syslog, v2c and v3. */
export const SYSLOG_NOTIFICATION = /^(?<host>\S+) \[(?<source>(?:[^[\]]|\[[^[\]]*\])*)\]: Trap[ ,]*(?<rest>.*)$/;
/** `10.0.0.5: Enterprise Specific Trap (5) Uptime: …` of syslog, v1. */
export const SYSLOG_TRAP = /^(?<host>[\w.:-]+): (?=.{0,300}Trap \(\d)(?<rest>.*)$/;

/** SNMP v1: kind and number of the trap; the enterprise is before it. */
export const V1_TRAP =
  /(?:^|\s)(?:(?<enterprise>\S{0,128}[.:]\S{0,128}?)\s+)?(?<generic>Cold Start|Warm Start|Link Down|Link Up|Authentication Failure|EGP Neighbor Loss|Enterprise Specific) Trap \((?<specific>\d{1,10})\) Uptime: ?(?<uptime>(?:\d+ days?, )?[\d:.]+)?/;
/** RFC 1215 generic traps as RFC 3584 numbers them below snmpTraps. */
export const GENERIC: Readonly<Record<string, number>> = {
  'Cold Start': 1,
  'Warm Start': 2,
  'Link Down': 3,
  'Link Up': 4,
  'Authentication Failure': 5,
  'EGP Neighbor Loss': 6,
};

/** Where a value begins: an OID in any notation, then ` = `. */
export const VARBIND =
  /(?:^|[\t\n]|, ?)[ ]*(?<oid>\.?\d{1,10}(?:\.\d{1,10}){3,200}|\.?iso(?:\.[\w-]+){2,200}|[A-Za-z][\w-]*::[A-Za-z][\w-]*(?:\.[^\s=]+)?)[ ]=[ ]/g;

export const TRAP_OID = '1.3.6.1.6.3.1.1.4.1.0';
export const TRAP_ENTERPRISE = '1.3.6.1.6.3.1.1.4.3.0';
/** SNMP-COMMUNITY-MIB snmpTrapAddress: the sender of a forwarded trap. */
export const TRAP_ADDRESS = '1.3.6.1.6.3.18.1.3.0';
export const UPTIME = '1.3.6.1.2.1.1.3.0';
export const SNMP_TRAPS = '1.3.6.1.6.3.1.1.5';
