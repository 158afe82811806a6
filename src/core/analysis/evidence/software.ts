import { meanTexts, type TypedEvidence } from '../../../model/incident/incident.ts';
import { meanOfSchema } from '../../../model/incident/incident-schema.ts';
import type { ServingFigures } from '../serving/condition.ts';
import { conditionText } from '../serving/condition-text.ts';
import { figure, listed, milliseconds, type Names, namesOf } from './evidence-text.ts';
import type { EvidenceKind } from './kind.ts';

/** Of software suspects (`software/`): their log-odds come from tests, not from fitted weights. */

const defineKind = <P extends object>(kind: EvidenceKind<P>): EvidenceKind<P> => kind;

/** Share of "no physical cause" that a suspect receives, with its strongest evidence. */
export const softwareShare = defineKind<{
  readonly share: number;
  readonly first: Pick<TypedEvidence, 'kind' | 'parameters'> | null;
}>({
  id: 'software_share',
  text: ({ share, first }, textOf) => {
    const takes = `receives ${Math.round(100 * share)} % of the probability of software causes`;
    return first ? `${takes}: ${textOf(first)}` : takes;
  },
});

/** Where no device is recorded: what "not enough evidence" would hold, as far as it is about this service. */
export const carrier = defineKind<{ readonly service: string }>({
  id: 'carrier_not_recorded',
  text: ({ service }) => `counts for a device below ${service} as well: what it runs on was not recorded`,
});

/** What is left of "no physical cause", or of "not enough evidence", when services are named. */
export const remainder = defineKind<{ readonly share: number }>({
  id: 'software_remainder',
  text: ({ share }) =>
    `${share < 0.01 ? 'less than 1' : Math.round(100 * share)} % of it is left: the rest is divided among the services where it may begin`,
});

export const softwarePrior = defineKind<{ readonly services: number }>({
  id: 'software_prior',
  text: ({ services }) => `one of ${services} services (prior)`,
});

export const unrelated = defineKind<{ readonly service: string }>({
  id: 'software_unrelated',
  text: ({ service }) => `no recorded calls between it and ${service}`,
});

export const responsible = defineKind<{
  readonly service: string;
  /** null: hardly any. */
  readonly share: number | null;
  /** Without calls the share is that of the change among the services that degrade alike. */
  readonly callsKnown: boolean;
}>({
  id: 'software_responsible',
  text: ({ service, share, callsKnown }) => {
    const part = share === null ? 'hardly any' : `${Math.round(100 * share)} %`;
    return callsKnown
      ? `${part} of the degradation of ${service} begins there`
      : `has ${part} of the change among the services that degrade as ${service} does; no call from or to ${service} was recorded`;
  },
});

export const restarted = defineKind<{
  readonly service: string;
  /** What started: a pod, or the service. */
  readonly on: string;
  readonly message: string;
  /** Before the onset, seconds; negative: after. */
  readonly before_s: number;
  /** It was ended at its memory limit, and is started again. */
  readonly atLimit: boolean;
}>({
  id: 'software_restarted',
  text: ({ service, on, message, before_s, atLimit }) => {
    const when = `${figure(Math.abs(before_s))} s ${before_s >= 0 ? 'before' : 'after'} the first anomaly`;
    return `${atLimit ? `a container of ${service} was ended at its memory limit` : `software of ${service} started`} ${when} (${on}: ${message})`;
  },
});

export const besideRestarted = defineKind<{ readonly service: string; readonly affected: string }>({
  id: 'software_beside_restarted',
  text: ({ service, affected }) =>
    `${affected} calls ${service}, or the callers of ${service} also call ${affected} and may turn to it while ${service} starts`,
});

export const excusedBy = defineKind<{ readonly services: readonly string[] }>({
  id: 'software_excused',
  text: ({ services }) => `as trouble in ${listed(namesOf(services))} would make it`,
});

export const excusedByLoad = defineKind<{ readonly share: number; readonly times: number; readonly entry: string }>({
  id: 'software_excused_by_load',
  text: ({ share, times, entry }) =>
    `${Math.round(100 * share)} % of this is as ${times.toFixed(1)} times the requests to ${entry} would make it`,
});

export const excusedBySender = defineKind<{ readonly sender: string }>({
  id: 'software_excused_by_sender',
  text: ({ sender }) => `as longer requests from ${sender} would make it`,
});

export const accountsFor = defineKind<{ readonly services: Names }>({
  id: 'software_accounts_for',
  text: ({ services }) => `explains the degradation of ${listed(services)}`,
});

/** Of a service that only its callers measure, such as a load balancer. */
export const wayTo = defineKind<{ readonly service: string }>({
  id: 'software_way_to',
  text: ({ service }) =>
    `no calls from it are recorded, and it changes when ${service} does, which the same services call: probably the way to ${service}`,
});

export const movesUnlike = defineKind<{
  readonly of: 'latency' | 'errors' | 'throughput';
  /** The affected service. */
  readonly service: string;
  /** Of the weight of the change that counts, 0 to 1. */
  readonly share: number;
}>({
  id: 'software_moves_unlike',
  text: ({ of, service, share }) =>
    `its ${of === 'errors' ? 'errors change' : `${of} changes`} at other times than the degradation of ${service}: ${Math.round(100 * share)} % of this counts`,
});

interface ServiceChange {
  readonly service: string;
  readonly of: 'latency' | 'errors' | 'throughput';
  /** `p99`, `mean_request` or `mean_token`; null unless it is of latency. */
  readonly quantile: string | null;
  /** Milliseconds, percent or requests per second. */
  readonly before: number;
  readonly after: number;
  /** Neighbours that explain it, the share that they explain, and whether the service has callees. */
  readonly neighbours: Names;
  readonly explained: number;
  readonly hasCallees: boolean;
  /** Its own calls could not be recorded: the neighbours got worse with it. */
  readonly areSupposed: boolean;
  /** Its callers measured it, with the way to it. */
  readonly byCallers: boolean;
}

const MIN_SHARE = 0.1;

const means = new Map(meanOfSchema.options.map((of) => [`mean_${of}`, meanTexts[of].toLowerCase()]));

function changeText({ service: name, of, quantile, before, after, byCallers }: ServiceChange): string {
  const service = byCallers ? `${name}, as its callers measured ${of === 'latency' ? 'it' : 'them'},` : name;
  if (of === 'latency')
    return `${means.get(quantile ?? '') ?? quantile?.toUpperCase()} of ${service} rose from ${milliseconds(before)} to ${milliseconds(after)}`;
  if (of === 'errors') return `errors of ${service} rose from ${figure(before)} to ${figure(after)} %`;
  return `requests of ${service} ${after < before ? 'fell' : 'rose'} from ${figure(before)} to ${figure(after)} per second`;
}

export const serviceChange = defineKind<ServiceChange>({
  id: 'software_service',
  text: (change) => {
    const changed = changeText(change);
    const { neighbours, explained, of, hasCallees, areSupposed } = change;
    const areKnown = neighbours.first.length > 0;
    if (of === 'throughput') {
      if (areKnown) return `${changed}, explained by its caller ${listed(neighbours)}`;
      return explained > 0
        ? `${changed}, explained by its own degradation`
        : `${changed}; not explained by its callers`;
    }
    const share = `${Math.round(100 * explained)} %`;
    if (explained >= MIN_SHARE && areKnown && areSupposed)
      return `${changed}; its own calls were not recorded, and ${listed(neighbours)}, which got worse with it and by more, may explain ${share} of it`;
    if (explained >= MIN_SHARE && areKnown)
      return `${changed}; its callee ${listed(neighbours)} explains ${share} of it`;
    if (explained >= MIN_SHARE) return `${changed}; ${share} of it was spent in its callees`;
    return hasCallees ? `${changed}; its callees do not explain it` : changed;
  },
});

export const slowSpan = defineKind<{
  readonly span: string;
  readonly service: string;
  readonly quantile: 'p50' | 'p95';
  readonly before_ms: number;
  readonly after_ms: number;
  readonly spans: number;
  /** Share of all added span time. */
  readonly share: number;
  /** Its callees were not recorded. */
  readonly isLeaf: boolean;
  /** Without calls its time may be that of its callees. */
  readonly callsKnown: boolean;
  /** The service records no spans: its callers measured it, with the way to it. */
  readonly asCalled: boolean;
}>({
  id: 'software_slow_span',
  text: ({ span, service, quantile, before_ms, after_ms, spans, share, isLeaf, callsKnown, asCalled }) =>
    `${asCalled ? `time of \`${span}\` to ${service}, as its callers measured it,` : `${callsKnown ? 'self time' : 'time'} of \`${span}\` in ${service}`} rose from ${milliseconds(before_ms)} to ${milliseconds(after_ms)} (${quantile}, ${spans} spans), ${Math.round(100 * share)} % of all added span time${isLeaf ? '; its callees were not recorded' : ''}`,
});

export const slowService = defineKind<{
  readonly service: string;
  readonly above: number;
  readonly spans: number;
  readonly names: number;
  readonly share: number;
}>({
  id: 'software_slow_service',
  text: ({ service, above, spans, names, share }) =>
    `${above} of ${spans} spans of ${service}, of ${names} names, had a longer self time than 95 % of those before; ${Math.round(100 * share)} % of the added request time is its self time`,
});

export const failingSpan = defineKind<{
  readonly span: string;
  readonly service: string;
  readonly failed: number;
  readonly spans: number;
  /** Percent of those before; null: there were none. */
  readonly before_percent: number | null;
  /** Without calls the errors may begin in its callees. */
  readonly callsKnown: boolean;
  /** The service records no spans: its callers saw the failures. */
  readonly asCalled: boolean;
}>({
  id: 'software_failing_span',
  text: ({ span, service, failed, spans, before_percent, callsKnown, asCalled }) => {
    const times = `\`${span}\` ${asCalled ? 'to' : 'in'} ${service} failed ${failed} of ${spans} times`;
    const before = `${before_percent === null ? 'never' : `${figure(before_percent)} %`} before`;
    if (asCalled) return `${times}, ${before}, as its callers saw it; no spans of it were recorded`;
    return callsKnown
      ? `${times} with no failing call below it, ${before}: origin of the errors`
      : `${times}, ${before}; whether the errors begin there was not recorded`;
  },
});

export const noAnswer = defineKind<{
  readonly span: string;
  readonly service: string;
  readonly callee: string;
  readonly missing: number;
  readonly spans: number;
  readonly before_share: number;
}>({
  id: 'software_unanswered',
  text: ({ span, service, callee, missing, spans, before_share }) =>
    `${missing} of ${spans} calls \`${span}\` of ${service} reached no span of ${callee}, which answered ${Math.round(100 * before_share)} % of them before`,
});

export const oneInstance = defineKind<{ readonly instance: string; readonly others: 'move' | 'fail' }>({
  id: 'software_one_instance',
  text: ({ instance, others }) => `only on ${instance}; its other instances did not ${others}`,
});

export const logTemplate = defineKind<{
  readonly service: string;
  readonly template: string;
  readonly isFailure: boolean;
  readonly before: number;
  readonly after: number;
}>({
  id: 'software_log_template',
  text: ({ service, template, isFailure, before, after }) => {
    const kind = isFailure ? 'error message' : 'log line';
    return before === 0
      ? `new ${kind} in ${service}, ${after} times and never before: "${template}"`
      : `${kind} of ${service} surged from ${figure(before)} to ${figure(after)}: "${template}"`;
  },
});

export const complained = defineKind<{
  readonly service: string;
  readonly caller: string;
  /** One of the lines. */
  readonly line: string;
  readonly before: number;
  readonly after: number;
}>({
  id: 'software_complaint',
  text: ({ service, caller, line, before, after }) =>
    `${caller} logged ${figure(after)} failed calls of ${service}, ${before === 0 ? 'none' : figure(before)} before: "${line}"`,
});

export const statedReason = defineKind<{ readonly service: string; readonly reason: string }>({
  id: 'software_stated_reason',
  text: ({ service, reason }) =>
    `log lines state a reason in the software, settings or credentials of ${service}: ${reason}`,
});

export const metricShift = defineKind<{
  readonly metric: string;
  /** Attributes that distinguish the series, formatted to follow the name; may be empty. */
  readonly labels: string;
  readonly on: string;
  readonly before: number;
  readonly after: number;
  readonly unit: string;
  readonly isRate: boolean;
  readonly before_points: number;
  readonly after_points: number;
}>({
  id: 'software_metric',
  text: ({ metric, labels, on, before, after, unit, isRate, before_points, after_points }) => {
    // UCUM writes what is counted in braces.
    const of = unit === '' || unit === '1' ? '' : ` ${unit.replace(/^\{(.*)\}$/, '$1')}`;
    return `${metric}${labels} of ${on} ${after > before ? 'rose' : 'fell'} from ${figure(before)} to ${figure(after)}${of}${isRate ? ' per second' : ''} (${before_points} points before, ${after_points} in the window)`;
  },
});

export const skippedStep = defineKind<{
  readonly span: string;
  readonly service: string;
  readonly next: string;
  /** Service of the next span, if it is another one. */
  readonly next_service: string | null;
  readonly taken: number;
  readonly runs: number;
  readonly before_share: number;
}>({
  id: 'software_skipped_step',
  text: ({ span, service, next, next_service, taken, runs, before_share }) =>
    `\`${span}\` in ${service} went on to \`${next}\`${next_service === null ? '' : ` of ${next_service}`} in ${taken} of ${runs} runs, in ${Math.round(100 * before_share)} % of them before`,
});

export const calleeSkips = defineKind<{ readonly callee: string }>({
  id: 'software_callee_skips',
  text: ({ callee }) => `its callee ${callee} also skips steps and may only follow its requests`,
});

/** What changed in the serving of a model ({@link ServingFigures}). */
export const servingChange = defineKind<{ readonly service: string; readonly figures: ServingFigures }>({
  id: 'software_serving',
  text: ({ service, figures }) => `${service} ${conditionText(figures)}`,
});
