import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';

type Begun = readonly [type: EventType, severity: Severity];

/** An event of power or cooling; all patterns see lower-case words with blanks between them. */
export interface FacilityRule {
  /** What the text is about. */
  readonly about: RegExp;
  /** What it reports about it; absent: `about` covers it all. */
  readonly states?: RegExp;
  /** More words that mean that it is over. */
  readonly over?: RegExp;
  readonly unless?: RegExp;
  /** Kinds of devices that it is of; absent: any. */
  readonly kinds?: readonly EntityKind[];
  readonly begins: Begun | ((words: string, kind: EntityKind | undefined) => Begun);
  /** The event that ends it; absent: nothing is reported then. */
  readonly ends?: EventType;
}

const FAILS =
  /\b(?:fail(?:s|ed|ure|ing)?|fault(?:s|ed|y)?|lost|loss|stopp?(?:ed)?|trip(?:s|ped)?|alarm(?:ed)?|error|off|not running|unavailable|shut ?down|lock ?out|down|critical|problem|malfunction|missing|overload(?:ed)?|abnormal|bad)\b/;
const LOW = /\b(?:low|lower|below|under|loss|lost|no|none|insufficient|fail(?:ed|ure)?|stopp?(?:ed)?|critical|alarm)\b/;
const HIGH =
  /\b(?:high|higher|over|above|upper|exceed(?:s|ed|ing)?|excess(?:ive)?|hot|critical|too|alarm|violation|overheat(?:ed|ing)?|out of (?:range|limits?|tolerance)|warning)\b/;

const OF_THE_GRID = /\b(?:utility|mains|grid|commercial power)\b/;

const power: readonly FacilityRule[] = [
  {
    about: /\b(?:breaker|fuse|mccb|rcbo?|over ?current protector|ocp)\b/,
    states: /\b(?:trip(?:s|ped)?|open(?:s|ed)?|blown|blew|off|fail(?:ed|ure)?|fault)\b/,
    over: /\bbreaker on\b|\bfuse ok\b/,
    unless: /\b(?:current|load)\b.{0,30}\b(?:above|over|high|warning|near|upper|threshold)\b/,
    begins: ['breaker_trip', 'critical'],
    ends: 'voltage_restored',
  },
  {
    // "battery discharging" is the same as "on battery"; a battery that is low, bad or missing is another matter.
    about: /\bon (?:the )?batter(?:y|ies)\b|\bbattery (?:is )?(?:discharging|in use|power)\b|\bfrom batter(?:y|ies)\b/,
    over: /\b(?:not|off|no longer) on batter/,
    unless: /\blow batter|\bbattery (?:low|fail|fault|missing)/,
    begins: ['ups_transfer', 'high'],
    ends: 'ups_restored',
  },
  {
    about: /\bbatter(?:y|ies)\b/,
    states:
      /\b(?:low|deplet\w*|discharged|exhausted|bad|fail(?:ed|ure)?|fault|replace\w*|missing|disconnected|end of life|weak|over ?temp\w*)\b/,
    unless: /\b(?:test|charger)\b/,
    begins: (words) => ['ups_battery_low', /\b(?:deplet|exhaust|discharged)/.test(words) ? 'critical' : 'high'],
    ends: 'ups_alarm',
  },
  {
    about: /\b(?:utility|mains|grid|input power|line power|ac power|power supply input|commercial power)\b/,
    states: /\b(?:fail(?:ed|ure)?|lost|loss|outage|absent|missing|unavailable|black ?out|bad)\b/,
    over: /\b(?:available|present)\b/,
    // What has no battery has lost its own supply then, whatever is above it.
    begins: (words, kind) => {
      if (kind === 'ups') return ['ups_transfer', 'high'];
      return [kind === 'pdu' && !OF_THE_GRID.test(words) ? 'voltage_sag' : 'utility_outage', 'high'];
    },
    ends: 'ups_restored',
    kinds: ['ups', 'pdu', 'device'],
  },
  {
    about: /\b(?:by ?pass)\b/,
    unless: /\b(?:not available|unavailable|breaker)\b/,
    begins: ['ups_alarm', 'medium'],
    ends: 'ups_alarm',
    kinds: ['ups'],
  },
  {
    about: /\b(?:inverter|rectifier|charger|dc bus|static switch|power module)\b/,
    states: FAILS,
    begins: ['ups_alarm', 'high'],
    ends: 'ups_alarm',
    kinds: ['ups'],
  },
  {
    about: /\b(?:outlet|receptacle|socket)s?\b/,
    states: /\b(?:off|lost power|loss of power|de ?energi[sz]ed|shed)\b/,
    over: /\b(?:turned on|switched on|powered on|is on|outlet on|state on|status on|control status on)\b/,
    unless:
      /\b(?:pending|delay|command|current|load|overload|voltage|power) (?:off|on|above|high|critical)\b|\boverload/,
    begins: ['outlet_off', 'high'],
    ends: 'outlet_on',
  },
  {
    about: /\bover ?loads?(?:ed)?\b|\bover ?current\b|\b(?:load|current|amps?|power|watts|ampacity)\b/,
    states: /\bover ?load|\bover ?current\b|\b(?:high|above|upper|exceed(?:s|ed)?|over limit|near|critical)\b/,
    unless: /\b(?:below|lower|low|under|fan|compressor|supply input|redundan)/,
    begins: (words, kind) => [
      kind === 'ups' ? 'ups_alarm' : 'pdu_overload',
      /\b(?:near|warning)\b/.test(words) ? 'medium' : 'high',
    ],
    ends: 'snmp_trap',
    kinds: ['pdu', 'ups', 'breaker', 'outlet'],
  },
  {
    about: /\b(?:phase|feed|source|inlet|input|line|side)s?\b/,
    states: /\b(?:lost|loss|missing|fail(?:ed|ure)?|dead|absent|outage|no power|unpowered|power off|not available)\b/,
    unless: /\b(?:communication|comm|redundan|sensor|water|air ?flow|fan|pump|temperature)\b/,
    begins: ['voltage_sag', 'high'],
    ends: 'voltage_restored',
    kinds: ['pdu', 'ups', 'breaker', 'rack', 'device'],
  },
  {
    about:
      /\b(?:under ?voltage|brown ?out|volt(?:age|s)?|sag|power fail(?:ure|ed)?|lost power|loss of power|power loss)\b/,
    states: /\b(?:under ?voltage|brown ?out|sag|low|lower|below|fail(?:ed|ure)?|lost|loss)\b/,
    unless: /\b(?:battery|humidity|supply)\b/,
    begins: ['voltage_sag', 'high'],
    ends: 'voltage_restored',
  },
  {
    about: /\b(?:over ?voltage|volt(?:age|s)?|swell|surge)\b/,
    states: /\b(?:over ?voltage|swell|surge|high|upper|above|out of (?:range|limits?|tolerance))\b/,
    begins: ['voltage_swell', 'medium'],
    ends: 'voltage_restored',
  },
  {
    about: /\b(?:output|ups|load)\b/,
    states: /\b(?:off|dropped|shut ?down|lost|no output|not powered)\b/,
    over: /\b(?:turned on|switched on|output on)\b/,
    unless: /\b(?:communication|comm|outlet|current)\b/,
    begins: ['ups_output_off', 'critical'],
    ends: 'ups_output_on',
    kinds: ['ups'],
  },
  {
    about: /\bredundan(?:cy|t)\b/,
    states: /\b(?:lost|loss|degraded|reduced|fail(?:ed|ure)?|not|no)\b/,
    unless: /\b(?:pump|fan|cooling|unit)\b/,
    begins: (_, kind) => [kind === 'ups' ? 'ups_alarm' : 'snmp_trap', 'medium'],
    ends: 'snmp_trap',
    kinds: ['ups', 'pdu', 'device'],
  },
  {
    about: /\b(?:power supply|psu)\b/,
    states: FAILS,
    begins: ['psu_failure', 'high'],
    ends: 'psu_restored',
  },
];

const cooling: readonly FacilityRule[] = [
  {
    about:
      /\bleak(?:s|age|ing)?\b|\b(?:water|fluid|liquid|moisture)\b.{0,30}\b(?:detected|sensed|under ?floor)\b|\bwet\b/,
    unless: /\bleak (?:sensor|detector|detection)\b.{0,30}\b(?:enabled|added|found|cable ok)\b/,
    begins: ['coolant_leak', 'high'],
    ends: 'snmp_trap',
  },
  {
    about: /\bair ?flow\b|\bblower\b/,
    states: LOW,
    begins: (_, kind) => [kind === 'cooling' || kind === 'device' ? 'cooling_failure' : 'fan_failure', 'high'],
    ends: 'fan_restored',
  },
  {
    about: /\bpumps?\b/,
    states: FAILS,
    over: /^(?!.*\b(?:fail|fault|trip|lost|stop)).*\bpumps?\b.{0,20}\b(?:running|started)\b/,
    unless: /\b(?:rotation|rotated|lead ?lag)\b/,
    begins: ['cooling_failure', 'high'],
    ends: 'coolant_flow_restored',
  },
  {
    // The standby took over: what it stands in for had failed, and the flow goes on.
    about: /\bpumps?\b/,
    states: /\b(?:change ?over|switch ?over|fail ?over|took over|stand ?by\b.{0,20}\bon)\b/,
    unless: /\b(?:rotation|rotated|schedul)/,
    begins: ['cooling_failure', 'medium'],
    ends: 'coolant_flow_restored',
  },
  {
    about: /\bflow\b/,
    states: LOW,
    begins: ['coolant_flow_low', 'high'],
    ends: 'coolant_flow_restored',
  },
  {
    about: /\bfans?\b/,
    states: new RegExp(`${FAILS.source}|${LOW.source}`),
    unless: /\b(?:temperature|temp)\b/,
    begins: ['fan_failure', 'high'],
    ends: 'fan_restored',
  },
  {
    about: /\bover ?(?:temp(?:erature)?|heat(?:ed|ing)?)\b|\btemp(?:erature)?s?\b/,
    states: HIGH,
    unless: /\b(?:low|lower|below|under)\b/,
    begins: ['temperature_high', 'high'],
    ends: 'temperature_restored',
  },
  {
    about:
      /\b(?:compressor|condenser|chiller|refrigerant|head pressure|suction pressure|high pressure|low pressure|evaporator|valve)\b/,
    states: new RegExp(`${FAILS.source}|\\b(?:high|low|short cycle)\\b`),
    begins: ['cooling_failure', 'high'],
    ends: 'coolant_flow_restored',
  },
  {
    about: /\b(?:crac|crah|cdu|unit|cooling|fluid cooler|dry cooler|hvac|system)\b/,
    states:
      /\b(?:off|shut ?down|stopped|fail(?:ed|ure)?|fault|lost power|locked out|disabled by alarm|emergency stop)\b/,
    over: /\b(?:unit|cooling|system|crac|crah|cdu) (?:turned |switched |is )?on\b|\bstarted\b/,
    unless: /\b(?:communication|comm|sensor|humidif|by user|manual)/,
    begins: ['cooling_failure', 'high'],
    ends: 'fan_restored',
    kinds: ['cooling'],
  },
];

/** The first that fits counts; narrow ones come first. */
export const facilityRules: readonly FacilityRule[] = [...cooling.slice(0, 5), ...power, ...cooling.slice(5)];
