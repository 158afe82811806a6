import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { type FacilityRule, facilityRules } from './facility-rules.ts';

/** What a text about power or cooling reports. */
export interface FacilityMeaning {
  readonly type: EventType;
  readonly severity: Severity;
  /** It reports that something is over. */
  readonly isOver: boolean;
}

/** Texts beyond this are dumps, and the meaning comes first. */
const MOST_TEXT = 1024;

/** `notifyGroupBreakerStatus`, `PUMP_1_FAULT` and `over-temperature` in plain words. */
export const plainWords = (text: string): string =>
  text
    .slice(0, MOST_TEXT)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d)/g, '$1 $2')
    .replace(/[_=-]+/g, ' ')
    .toLowerCase();

/** That something is over; never "not restored" or "failed to clear". */
const OVER =
  /(?<!\b(?:not|failed to|un) ?)\b(?:clear(?:s|ed)?|restored?|recover(?:s|ed|y)?|returned|return from|return of|no longer|removed|ended|resolved|corrected|deassert(?:ed|s)?|inactive|back (?:to|within|in|on|online)|ok|normal|within (?:limits?|range|thresholds?)|not (?:detected|active|tripped|present)|went away|closed|rearmed|re armed|has been reset)\b/;
/** Settings and duties of any day. */
const HARMLESS =
  /\b(?:log(?:ged)? ?(?:in|out|on|off)|password|user (?:added|deleted|modified)|config(?:uration|ured)? (?:change|saved|file)|firmware|threshold (?:changed|set)|setpoint|scheduled|acknowledged|maintenance reminder|service (?:due|required soon)|clock set|ntp|snmp (?:get|set)|certificate|authentication)\b/;

/**
 * What a vendor's text or name reports about power and cooling, by the meaning of its words: PowerNet, PDU2, EATON-EPDU, Sentry,
 * Geist, Liebert and Enlogic name their notifications in words, and controllers of cooling units write sentences.
 * @param kind of the device, as far as it is known: "overload" of a UPS is another event than that of a PDU
 * @returns undefined where nothing is reported that is known here
 */
export function readFacilityWords(text: string, kind: EntityKind | undefined): FacilityMeaning | undefined {
  const words = plainWords(text);
  if (HARMLESS.test(words)) return undefined;
  const isOver = OVER.test(words);
  for (const rule of facilityRules) {
    if (!rule.about.test(words)) continue;
    if (rule.unless?.test(words)) continue;
    const found = applied(rule, words, kind, isOver);
    if (found) return found;
  }
  return undefined;
}

function applied(
  { begins, ends, kinds, over, states }: FacilityRule,
  words: string,
  kind: EntityKind | undefined,
  isOver: boolean,
): FacilityMeaning | undefined {
  if (kinds && kind !== undefined && kind !== 'device' && !kinds.includes(kind)) return undefined;
  if (isOver || over?.test(words)) {
    if (ends === undefined) return undefined;
    return { type: ends, severity: 'low', isOver: true };
  }
  if (states && !states.test(words)) return undefined;
  const [type, severity] = typeof begins === 'function' ? begins(words, kind) : begins;
  return { type, severity, isOver: false };
}
