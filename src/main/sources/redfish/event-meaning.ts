import type { EventType } from '../../../model/telemetry/event-catalog.ts';

/** Meaning of a log entry or of an event of an EventService. */
export interface EventMeaning {
  readonly type: EventType;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface EventText {
  readonly messageId: string;
  readonly message: string;
  readonly sensorType: string;
  /** `Assert`, `Deassert`, `Upper Critical - going high`. */
  readonly entryCode: string;
  readonly severity: string;
  /** Address of the log or the resource: the name of an Xid log states its content. */
  readonly place: string;
  readonly aboutGpu: boolean;
}

interface Rule {
  readonly words: RegExp;
  readonly bad: EventType;
  /** The type when the condition ends; without it, a `bmc_event`. */
  readonly good?: EventType;
}

/** Most specific first. `MessageId` keys arrive in words: `PowerSupplyStatusCritical` as "power supply status critical". */
const rules: readonly Rule[] = [
  { words: /\bleak/, bad: 'coolant_leak' },
  { words: /\bsxid\b|nvswitch.*(error|fatal)/, bad: 'nvswitch_error' },
  { words: /\bxid\b/, bad: 'xid_error' },
  { words: /nv ?link.*(error|fail|down|retrain|recover)/, bad: 'nvlink_error' },
  {
    words:
      /power ?suppl|\bpsu\b|\bps ?\d+\b|line input|power unit|\bac ?(power )?(lost|loss|fail)|(lost|loss of|no) (ac|input|mains) (power|input)/,
    bad: 'psu_failure',
    good: 'psu_restored',
  },
  // PowerEquipment and ThermalEquipment: rack PDUs, transfer switches, coolant distribution units.
  { words: /\bbreakers?\b|\bfuses?\b/, bad: 'breaker_trip', good: 'voltage_restored' },
  { words: /\bpumps?\b/, bad: 'cooling_failure', good: 'coolant_flow_restored' },
  { words: /(?<!\bair ?)\bflow\b/, bad: 'coolant_flow_low', good: 'coolant_flow_restored' },
  { words: /\boutlets?\b(?!.*\btemp)/, bad: 'outlet_off', good: 'outlet_on' },
  { words: /\bfans?\b|\btachometer/, bad: 'fan_failure', good: 'fan_restored' },
  // An unreadable sensor is no evidence about the quantity that it measures.
  {
    words:
      /^(?=.*\b(temp|temperature|thermal|voltage|sensors?)\b).*(not respon|unresponsive|(unable|failed|could not|cannot) (to )?(be )?(read|access)|unreadable|sensors? (has |have |is |are )?(fail|not (function|available|present)))/s,
    bad: 'bmc_event',
  },
  {
    words: /temperature|thermal|over ?heat|over ?temp|\btemp\b/,
    bad: 'temperature_high',
    good: 'temperature_restored',
  },
  {
    words: /voltage.*(lower|low|under|below|sag|drop)|(lower|low|under|below).*voltage/,
    bad: 'voltage_sag',
    good: 'voltage_restored',
  },
  {
    words: /voltage.*(upper|high|over|above|exceed)|(upper|high|over|above).*voltage/,
    bad: 'voltage_swell',
    good: 'voltage_restored',
  },
  { words: /\becc\b|memory.*(error|fail|fault)|\bdimm.*(error|fail|fault)/, bad: 'memory_error' },
  {
    words: /machine check|\bierr\b|caterr|processor.*(error|fail|fault)|\bcpu.*(error|fail|fault)/,
    bad: 'machine_check',
  },
  { words: /pcie?.*(error|fatal|fault)|bus (un)?correctable/, bad: 'pcie_error' },
  {
    words:
      /^(?=.*\b(drives?|disks?|nvme|ssd|hdd|raid|array|storage (device|controller|volume))\b).*\b(fail|fault|degrad|offline|missing|predict|removed|media error|not respond)/s,
    bad: 'drive_failure',
  },
  { words: /link (status )?(is )?(down|lost|failed)|connection (is )?lost/, bad: 'link_down', good: 'link_up' },
  {
    words: /power (cap|limit)|system performance (is )?(degraded|restored)/,
    bad: 'cpu_power_cap',
    good: 'power_cap_removed',
  },
  // The start of a machine, after a loss of power or by hand: its kernel may have left no line about it.
  {
    words: /\b(server|system) (is )?turning on\b|\b(host |dc |server |system )(power )+(is )?(on|restored)\b/,
    bad: 'host_rebooted',
    good: 'host_rebooted',
  },
  // IPMI 2.0, table 42-3: sensor types 20h (OS stop or shutdown) and 23h (watchdog 2).
  {
    words:
      /\b(run-?time|operating system|os|kernel)\b.*\b(critical stop|crash|panic)|\bblue ?screen|\bbug ?check|watchdog.*\b(expired|reset|power (off|down|cycle))/,
    bad: 'host_degradation',
  },
  { words: /(server|system|host|computer).*\b(reset|reboot|restart)/, bad: 'host_rebooted' },
];
const BAD =
  /fail|lost|critical|\btrip|\bopen(?:s|ed)?\b|stopp|\boff\b|turning on|is on\b|exceed|above|below|error|fault|over|under|leak|predict|removed|degrad|warning|crossed|high|low|reset|reboot|restart|down|assert|\bxid\b|\becc\b|limit|cap/;
const GOOD =
  /restored|recovered|returned to normal|within (the )?(normal|limit)|\bnormal\b|\bok\b|cleared|no longer|resolved|inserted|redundant|de ?assert|is up\b/;

/** `PowerSupplyFailed` as "power supply failed". */
const asPlainText = (text: string): string =>
  text
    .replace(/^.*\./, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** The type of an event by its message, its registry key and its sensor; `bmc_event` if none of them matches. */
export function eventMeaning({
  messageId,
  message,
  sensorType,
  entryCode,
  severity,
  place,
  aboutGpu,
}: EventText): EventMeaning {
  const fullText = `${asPlainText(messageId)} ${message} ${asPlainText(entryCode)}`.toLowerCase().slice(0, 4000);
  const all = `${fullText} ${sensorType.toLowerCase()} ${/\/LogServices\/XID\b/i.test(place) ? 'xid' : ''}`;
  const rule = rules.find(({ words }) => words.test(all));
  if (!rule) return { type: 'bmc_event', attributes: {} };
  const isGood =
    /^deassert/i.test(entryCode) ||
    // Controllers that leave out the code write it behind the text.
    /\bde-?assert(?:ed|ion)?\b/i.test(message) ||
    (GOOD.test(fullText) && !/not? (longer )?(ok|normal|redundant)|lost/.test(fullText));
  const isBad = !isGood && (BAD.test(all) || /^(warning|critical)$/i.test(severity));
  if (!isBad) return { type: isGood && rule.good ? rule.good : 'bmc_event', attributes: {} };
  const xid = rule.bad === 'xid_error' ? /xid\D{0,12}(\d{1,3})\b/.exec(all)?.[1] : undefined;
  const type = rule.bad === 'memory_error' && aboutGpu ? 'ecc_error' : rule.bad;
  return { type, attributes: xid === undefined ? {} : { xid: Number(xid) } };
}
