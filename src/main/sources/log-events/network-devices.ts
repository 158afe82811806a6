import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { Qualifier } from '../../../model/telemetry/event-details.ts';
import { PORT } from './port-name.ts';
import { type LogEvent, machine, type Rule } from './rule.ts';

/** `%FACILITY-SEVERITY-MNEMONIC:` of Cisco's and Arista's systems, `MODULE/SEVERITY/MNEMONIC` of Huawei's. */
const MNEMONIC =
  /%[A-Z][A-Z0-9_]{1,40}(?:-[A-Z0-9_]{1,40}){0,3}-\d-[A-Z0-9_]{2,60}\b|\b[A-Z]{2,20}\/\d\/[A-Z_]{3,60}\b/;

/** A rise above what is usual, in words. */
const PASSED =
  '(?:over|above|exceed\\w*|excess\\w*|high|crossed|detected|full|exhausted|increas\\w*|overthreshold|buildup|experienc\\w*|reached)';
const words = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'), 'i');

const STORM = words(
  '\\b(?:pfc|priority[ -]flow[ -]control|pause)\\b.{0,80}\\b(?:storm|deadlock|stuck)',
  '\\b(?:storm|deadlock|stuck)\\b.{0,80}\\b(?:pfc|priority[ -]flow[ -]control|pause)\\b',
);
const CONGESTED = words(
  `\\bcongest(?:ion|ed)\\b.{0,80}\\b${PASSED}\\b`,
  `\\b${PASSED}\\b.{0,60}\\bcongest(?:ion|ed)\\b`,
  `\\bcongested\\b`,
  `\\b(?:queue|buffer)s?\\b.{0,80}\\b${PASSED}\\b`,
  `\\b(?:tail ?drops?|discards?|(?:packets?|frames?|queue|buffer) drop(?:s|ped)?)\\b.{0,80}\\b(?:${PASSED}|rate)\\b`,
  '\\bdropp(?:ed|ing)\\b.{0,80}\\b(?:congestion|buffers?|queue)\\b',
  `\\becn\\b.{0,80}\\bmark\\w*\\b.{0,80}\\b(?:${PASSED}|rate|threshold)\\b`,
  `\\bpause frames?\\b.{0,80}\\b(?:${PASSED}|rate)\\b`,
  '\\bmicro-?bursts?\\b',
);
const LIGHT = words(
  '\\b(?:rx|tx|receive[rd]?|transmit(?:ted)?|optical|laser|light)\\b.{0,40}\\b(?:power|light|level|bias|signal)\\b.{0,40}\\b(?:low|high|below|above|alarm|warning|loss|out of range)\\b',
  '\\b(?:low|high|loss of)\\b.{0,20}\\b(?:rx|tx|optical|laser|light|receive|transmit)\\b.{0,20}\\b(?:power|light|bias|signal)?',
);
const ERRORS = words(
  `\\b(?:crc|fcs|symbol|fec|ber|bit|alignment|input)\\b.{0,40}\\berrors?\\b.{0,80}\\b(?:${PASSED}|rate|threshold|degraded)\\b`,
  `\\b(?:${PASSED}|degraded)\\b.{0,60}\\b(?:crc|fcs|symbol|fec|bit)[ -]errors?\\b`,
);
const FLAP = /\blink[ -]?flap|\bflap(?:s|ped|ping)\b/i;

/** A whole device starts again: Cisco IOS and Arista EOS. */
const RESTART = /%SYS-\d-(?:RESTART|SYSTEM_RESTARTED|SYSTEM_INITIALIZED|RELOAD)\b/;

/** Daemons of SONiC and Junos, before their words. */
const DAEMON = /^\s*:- \w|\b(?:orchagent|syncd|chassisd|CHASSISD_\w+|pfex?|fpc\d{1,2})\b/;
/** What forwards its traffic failed: its chips, a line card, a fabric card. */
const FAILED = words(
  '\\b(?:asic|npu|pfe|fpc|forwarding engine|line ?card|fabric (?:card|module)|switch chip)\\b.{0,80}\\b(?:fail(?:ed|ure|s)|fatal|does not respond|not responding|unresponsive|powered (?:down|off)|went offline|crash(?:ed)?|dead)\\b',
  '\\b(?:fatal|failure of)\\b.{0,40}\\b(?:asic|npu|pfe|forwarding engine|line ?card|fabric (?:card|module)|switch chip)\\b',
);

/** Something is over. */
const OVER =
  /\b(?:under|below|clear(?:s|ed)?|restored?|recover(?:s|ed|y)?|normal|ended|resolved|subsided|unstuck|no longer|not congested|returned|fell|ceased|back (?:to|within|in)|ok)\b/i;
/** Settings, tests, counts of a report: nothing happened. */
const SETTING =
  /\b(?:config(?:ur\w*)?|enabled|polling|interval|set to|changed from \d|statistics|show|command|cli|session opened|self[ -]?test|initiali[sz]\w*|created|registered|supported|capab\w*)\b/i;
/** Neighbours and protocols that run over a port: not the port itself. */
const PROTOCOL =
  /\b(?:neighbou?r|adjacency|session|bgp|ospf|isis|bfd|lacp|lldp|stp|vlan|vrf|tunnel|peer|mlag|vpc)\b|ADJCHANGE/i;
const BY_HAND =
  /\badmin\w*(?: |_)?(?:down|shut)|\badmin\w*(?: |-)(?:disabled|state)|adminstatus down|by (?:user|admin)/i;
const OPERATIONAL = /\boper(?:ational)? ?status\W{1,3}(up|down)\b/i;
const CHANGED =
  /(?:\b(?:to|is|went|now|state|status|link|port)\b\W{0,3}|\(\w{1,8}:)(up|down)\b(?!\W{0,3}to (?:up|down)\b)/gi;

interface Found {
  readonly type: EventType;
  readonly severity: Severity;
  readonly qualifiers?: readonly Qualifier[];
}

/** What a line of a network device reports, whatever its vendor's words; `text` has blanks for underscores. */
function meaningOf(text: string): Found | undefined {
  const link = linkState(text);
  if (link) return link;
  if (SETTING.test(text)) return undefined;
  const isOver = OVER.test(text);
  const ended = (type: EventType): Found => ({ type, severity: 'low' });
  if (STORM.test(text)) return isOver ? ended('congestion_ended') : { type: 'network_congestion', severity: 'high' };
  if (LIGHT.test(text)) {
    // "Below" is the fault itself here, not its end.
    if (/\b(?:clear(?:s|ed)?|restored?|normal|recover(?:s|ed)?|no longer)\b/i.test(text))
      return ended('link_recovered');
    const isWarning = /\bwarn/i.test(text) && !/\balarm\b/i.test(text);
    return { type: 'link_degraded', severity: 'medium', ...(isWarning && { qualifiers: ['warning'] }) };
  }
  if (ERRORS.test(text)) return isOver ? ended('link_recovered') : { type: 'link_degraded', severity: 'medium' };
  if (isOver && /\bcongest|\bqueue|\bbuffer|\bpause frames?\b|\becn\b/i.test(text)) return ended('congestion_ended');
  return CONGESTED.test(text) ? { type: 'network_congestion', severity: 'medium' } : undefined;
}

function linkState(text: string): Found | undefined {
  if (PROTOCOL.test(text)) return undefined;
  if (FLAP.test(text)) return OVER.test(text) ? undefined : { type: 'link_flap', severity: 'high' };
  // The last state counts: "from up to down".
  const state = (OPERATIONAL.exec(text) ?? [...text.matchAll(CHANGED)].at(-1))?.[1]?.toLowerCase();
  if (state === undefined || !/\b(?:link|line ?protocol|port|interface|oper|ifoper|state)/i.test(text))
    return undefined;
  if (state === 'up') return { type: 'link_up', severity: 'low' };
  return { type: 'link_down', severity: BY_HAND.test(text) ? 'medium' : 'high' };
}

function read([line = '']: RegExpExecArray): LogEvent | undefined {
  if (RESTART.test(line))
    return { type: 'switch_reboot', severity: 'high', subject: machine, message: line.trim(), attributes: {} };
  if (FAILED.test(line) && (MNEMONIC.test(line) || DAEMON.test(line)) && !SETTING.test(line) && !OVER.test(line))
    return { type: 'switch_failed', severity: 'high', subject: machine, message: line.trim(), attributes: {} };
  const port = PORT.exec(line);
  if (!port && !MNEMONIC.test(line)) return undefined;
  const found = meaningOf(line.replace(/[_=]/g, ' '));
  if (!found) return undefined;
  const queue = /\bqueue(?:[ _](?:index|id|number))?[ :=]{1,3}(\d{1,3})\b/i.exec(line)?.[1];
  return {
    type: found.type,
    severity: found.severity,
    subject: port ? { kind: 'port', name: nameOf(port) } : machine,
    message: line.trim(),
    attributes: queue === undefined ? {} : { queue: Number(queue) },
    ...(found.qualifiers ? { details: { qualifiers: [...found.qualifiers] } } : {}),
  };
}

/** `port 1/7` is called by its number, as other records of the device do. */
const nameOf = (port: RegExpExecArray): string => (/^port \d/i.test(port[0]) ? port[1]! : port[0].replace(' ', ''));

/**
 * Lines of switches and routers: congestion (storms of pause frames, buffers, queues, drops, ECN marks), links, optical power,
 * errors. Read by what the words mean, beside the name of a port or a mnemonic. Facts: Arista EOS system message guide, Cisco
 * NX-OS system messages reference, Junos system log explorer, SONiC `orchagent` and its PFC watchdog.
 */
export const networkDeviceRules: readonly Rule[] = [
  {
    needles:
      '%SYS-|ASIC|NPU |PFE|FPC|orwarding engine|ine card|inecard|abric card|abric module|witch chip|PFC W|PFC w|PFC s|PFC p|PFC_W|PFC_S|PFC_D|pfc s|pfc w|ongestion|ongested|CONGEST|ueue length|ueue depth|QUEUE|uffer |BUFFER|tail drop|Tail drop|discards|ECN m|ECN-m|ause frame|icroburst|UPDOWN|ETHPORT|oper state|perational state|OperStatus|hanged state|link down|link up|Link down|Link up|link is |Link is |LINK_|ink state|link-flap|link flap|Link flap|LINKFLAP|flapp| power |POWER_|_SFP_|XCVR_|ymbol err|CRC err|FCS err|FEC err|to state db'.split(
        '|',
      ),
    pattern: /^.*$/m,
    read,
  },
];
