import type { IncidentView } from '../../model/contract/index.ts';
import { type Annotation, hypothesisKey } from '../../model/incident/annotation.ts';
import type { Hypothesis, Impact } from '../../model/incident/incident.ts';
import { type JudgedVerdict, judgedVerdict } from '../../model/incident/judged-verdict.ts';

/**
 * Incidents in OpenTelemetry terms (OTLP/JSON, opentelemetry-proto 1.x: Export*ServiceRequest): each a trace of which
 * the root is the incident and the spans below are the steps of its chain, each below the step that brought it about;
 * hypotheses as log records of that trace; what was measured, and how sure each hypothesis is, as gauges; for how long GPUs
 * were held down as sums. The same conclusions
 * have the same ids, so that a receiver can recognise repetitions.
 */
export interface Telemetry {
  readonly traces: unknown;
  readonly logs: unknown;
  readonly metrics: unknown;
}

/**
 * How long a GPU was held down by `power`, `thermal`, `brake`, `sw` (every reason of software) or `hw` (every reason of
 * hardware, and those without a name), between the first and the last sample that show it.
 */
export interface Throttle {
  readonly gpu: string;
  readonly reason: string;
  readonly seconds: number;
  readonly from_ns: bigint;
  readonly until_ns: bigint;
}

/** Whether a GPU is held down by `power`, `thermal`, `sw` or `hw`, by the last sample that shows it; null names are unknown. */
export interface ThrottleState {
  readonly gpu: string;
  readonly gpu_uuid: string | null;
  readonly gpu_index: string | null;
  readonly host_name: string | null;
  readonly reason: string;
  readonly is_active: boolean;
  readonly time_ns: bigint;
}

/** What is known of the throttling of all GPUs. */
export interface Throttling {
  readonly times: readonly Throttle[];
  readonly states: readonly ThrottleState[];
}

export interface About {
  /** Name of the case. */
  readonly case: string;
  readonly version: string;
  /** Judgements of the investigator come before what was computed. */
  readonly annotations: readonly Annotation[];
}

export function incidentTelemetry(
  incidents: readonly IncidentView[],
  { times, states }: Throttling,
  about: About,
): Telemetry {
  const resource = {
    attributes: attributesOf({
      'service.name': 'faultline',
      'service.version': about.version,
      'faultline.case': about.case,
    }),
  };
  const scope = { name: 'faultline', version: about.version };
  const ids = incidents.map((view) => idsOf(view, about));
  return {
    traces: {
      resourceSpans: [
        {
          resource,
          scopeSpans: [
            {
              scope,
              spans: incidents.flatMap((view, i) =>
                spansOf(view, judgedVerdict(view.incident, about.annotations), ids[i]!),
              ),
            },
          ],
        },
      ],
    },
    logs: {
      resourceLogs: [
        {
          resource,
          scopeLogs: [{ scope, logRecords: incidents.flatMap((view, i) => recordsOf(view, ids[i]!)) }],
        },
      ],
    },
    metrics: {
      resourceMetrics: [
        {
          resource,
          scopeMetrics: [
            { scope, metrics: [...metricsOf(incidents), ...throttleMetrics(times), ...stateMetrics(states)] },
          ],
        },
      ],
    },
  };
}

interface Ids {
  readonly trace: string;
  readonly root: string;
  readonly steps: readonly string[];
}

function idsOf({ incident, steps }: IncidentView, about: About): Ids {
  const own = `${about.case}\n${incident.id}`;
  return {
    trace: hexOf(own, 4),
    root: hexOf(`${own}\nroot`, 2),
    steps: steps.map(({ ref }, i) => hexOf(`${own}\n${i}\n${ref}`, 2)),
  };
}

/** FNV-1a over different beginnings: 32 bits a word. Never all zeros, which OTLP takes for "no id". */
function hexOf(text: string, words: number): string {
  let hex = '';
  for (let word = 0; word < words; word++) {
    let hash = 0x811c9dc5 ^ Math.imul(word + 1, 0x9e3779b1);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hex += (hash >>> 0).toString(16).padStart(8, '0');
  }
  return /^0+$/.test(hex) ? `${hex.slice(1)}1` : hex;
}

const INTERNAL = 1;
const FAILED = 2;

function spansOf(view: IncidentView, verdict: JudgedVerdict, { trace, root, steps: stepIds }: Ids): unknown[] {
  const { incident, steps, service } = view;
  const best = verdict.leading;
  const rootSpan = {
    traceId: trace,
    spanId: root,
    name: `incident of ${service}`,
    kind: INTERNAL,
    startTimeUnixNano: String(view.start_ns),
    endTimeUnixNano: String(later(view.end_ns, view.start_ns)),
    attributes: attributesOf({
      'faultline.incident.id': incident.id,
      'faultline.incident.service': service,
      'faultline.cause.type': best?.type ?? null,
      'faultline.cause.subject': best?.subject ? `${best.subject.kind}:${best.subject.id}` : null,
      'faultline.cause.probability': best?.probability ?? null,
      'faultline.cause.undecided_with':
        verdict.undecided
          .slice(1)
          .map(({ type, subject }) => hypothesisKey(subject, type))
          .join(', ') || null,
      'faultline.cause.judgement': verdict.confirmed ? 'confirmed' : null,
      'faultline.cause.ruled_out':
        verdict.ruledOut.map(({ hypothesis: { type, subject } }) => hypothesisKey(subject, type)).join(', ') || null,
      ...impactAttributes(incident.impact),
    }),
    links: evidenceLinks(incident.hypotheses),
    status: { code: FAILED, message: incident.warnings.join('; ').slice(0, 1000) },
  };
  const chain = steps.map((step, i) => ({
    traceId: trace,
    spanId: stepIds[i],
    parentSpanId: step.cause === null ? root : stepIds[step.cause],
    name: `${step.type} on ${step.device}`,
    kind: INTERNAL,
    startTimeUnixNano: String(step.time_ns),
    endTimeUnixNano: String(endOfStep(view, i)),
    attributes: attributesOf({
      'faultline.evidence': step.ref,
      'faultline.device': step.device,
      'faultline.layer': step.layer,
      'faultline.message': step.summary,
      'faultline.edge.probability': step.edge_probability,
      'faultline.edge.undecided': step.cause === null ? null : step.undecided,
    }),
    status: {},
  }));
  return [rootSpan, ...chain];
}

/** A step goes on until the last of what it brought about began; one that brought about nothing is an instant. */
function endOfStep({ steps }: IncidentView, place: number): bigint {
  const own = steps[place]?.time_ns ?? 0n;
  return steps.filter(({ cause }) => cause === place).reduce((end, { time_ns }) => later(end, time_ns), own);
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Traces that speak for a hypothesis: their spans are somebody else's, in the same backend. */
function evidenceLinks(hypotheses: readonly Hypothesis[]): unknown[] {
  const refs = new Set(hypotheses.flatMap(({ evidence }) => evidence.flatMap(({ refs }) => refs)));
  return [...refs].flatMap((ref) => {
    const [, traceId, spanId] = /^span:([0-9a-f]{32})\/([0-9a-f]{16})$/.exec(ref) ?? [];
    return traceId && spanId ? [{ traceId, spanId, attributes: attributesOf({ 'faultline.evidence': ref }) }] : [];
  });
}

const ERROR = 17;
const INFO = 9;

function recordsOf({ incident, onset_ns, service }: IncidentView, { trace, root }: Ids): unknown[] {
  return incident.hypotheses.map((hypothesis) => {
    const { rank, probability, type, subject, evidence } = hypothesis;
    const about = `${type.replaceAll('_', ' ')}${subject ? ` on ${subject.id}` : ''}`;
    const lines = evidence.map(({ weight, text }) => `${weight > 0 ? '+' : ''}${weight} ${text}`);
    return {
      timeUnixNano: String(onset_ns),
      observedTimeUnixNano: String(onset_ns),
      severityNumber: rank === 1 ? ERROR : INFO,
      severityText: rank === 1 ? 'ERROR' : 'INFO',
      body: { stringValue: [`${rank}. ${probability.toFixed(2)} ${about}`, ...lines].join('\n') },
      attributes: attributesOf({
        'event.name': 'faultline.hypothesis',
        'faultline.incident.id': incident.id,
        'faultline.incident.service': service,
        ...hypothesisAttributes(hypothesis),
      }),
      traceId: trace,
      spanId: root,
    };
  });
}

const hypothesisAttributes = ({ rank, type, subject, probability }: Hypothesis) => ({
  'faultline.hypothesis.rank': rank,
  'faultline.hypothesis.type': type,
  'faultline.hypothesis.subject': subject ? `${subject.kind}:${subject.id}` : null,
  'faultline.hypothesis.probability': probability,
});

/** AGGREGATION_TEMPORALITY_CUMULATIVE. */
const CUMULATIVE = 2;

interface Point {
  readonly time_ns: bigint;
  readonly value: number;
  readonly attributes: Readonly<Record<string, string | number | null>>;
}

const impactMetrics = [
  [
    'faultline.incident.latency.p99',
    'ms',
    { baseline: 'p99_baseline_ms', first: 'p99_first_anomaly_ms', peak: 'p99_peak_ms' },
  ],
  [
    'faultline.incident.error_rate',
    '%',
    {
      baseline: 'error_rate_baseline_percent',
      first: 'error_rate_first_anomaly_percent',
      peak: 'error_rate_peak_percent',
    },
  ],
  [
    'faultline.incident.throughput',
    '1/s',
    {
      baseline: 'throughput_baseline_rps',
      first: 'throughput_first_anomaly_rps',
      peak: 'throughput_peak_rps',
    },
  ],
] as const satisfies readonly (readonly [string, string, Readonly<Record<string, keyof Impact>>])[];

function metricsOf(incidents: readonly IncidentView[]): unknown[] {
  const about = ({ incident, service }: IncidentView) => ({
    'faultline.incident.id': incident.id,
    'faultline.incident.service': service,
  });
  const impacts = impactMetrics.map(([name, unit, fields]) =>
    gauge(
      name,
      unit,
      incidents.flatMap((view) =>
        Object.entries(fields).flatMap(([phase, field]): Point[] => {
          const value = view.incident.impact[field];
          const attributes = { ...about(view), 'faultline.incident.phase': phase };
          return value === null ? [] : [{ time_ns: view.onset_ns, value, attributes }];
        }),
      ),
    ),
  );
  const durations = incidents.map((view): Point => {
    const value = view.incident.duration_seconds;
    return { time_ns: view.onset_ns, value, attributes: about(view) };
  });
  const probabilities = incidents.flatMap((view) =>
    view.incident.hypotheses.map((hypothesis): Point => {
      const { 'faultline.hypothesis.probability': value, ...named } = hypothesisAttributes(hypothesis);
      return { time_ns: view.onset_ns, value, attributes: { ...about(view), ...named } };
    }),
  );
  const all = [
    ...impacts,
    gauge('faultline.incident.duration', 's', durations),
    gauge('faultline.hypothesis.probability', '1', probabilities),
  ];
  // A metric without a point is none.
  return all.filter(({ gauge: { dataPoints } }) => dataPoints.length > 0);
}

/** `gpu.throttle.brake` and its like; names as on the page that Prometheus scrapes. */
const throttleMetrics = (throttles: readonly Throttle[]): unknown[] =>
  [...Map.groupBy(throttles, ({ reason }) => reason)].map(([reason, own]) => ({
    name: `gpu.throttle.${reason}`,
    unit: 's',
    sum: {
      aggregationTemporality: CUMULATIVE,
      isMonotonic: true,
      dataPoints: own.map(({ gpu, seconds, from_ns, until_ns }) => ({
        startTimeUnixNano: String(from_ns),
        timeUnixNano: String(until_ns),
        asDouble: seconds,
        attributes: attributesOf({ gpu }),
      })),
    },
  }));

/** Named as Ingero's agent does, whose dashboards rest on the names. */
const stateMetrics = (states: readonly ThrottleState[]): unknown[] =>
  [...Map.groupBy(states, ({ reason }) => reason)].map(([reason, own]) =>
    gauge(
      `gpu.throttle.${reason}_active`,
      '1',
      own.map(({ gpu, gpu_uuid, gpu_index, host_name, is_active, time_ns }) => ({
        time_ns,
        value: is_active ? 1 : 0,
        attributes: { gpu, 'gpu.uuid': gpu_uuid, 'gpu.index': gpu_index, 'host.name': host_name },
      })),
    ),
  );

const gauge = (name: string, unit: string, points: readonly Point[]) => ({
  name,
  unit,
  gauge: {
    dataPoints: points.map(({ time_ns, value, attributes }) => ({
      timeUnixNano: String(time_ns),
      asDouble: value,
      attributes: attributesOf(attributes),
    })),
  },
});

const impactAttributes = ({ mean, ...impact }: Impact): Record<string, number | string | null> => {
  const figures = [
    ...Object.entries(impact),
    ...Object.entries(mean ?? {}).map(([name, value]) => [`mean.${name}`, value] as const),
  ];
  return Object.fromEntries(figures.map(([name, value]) => [`faultline.impact.${name}`, value]));
};

/** Unknown is left out: an attribute that is there has a value. */
const attributesOf = (attributes: Readonly<Record<string, string | number | boolean | null>>): unknown[] =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ({ key, value: anyValue(value!) }));

function anyValue(value: string | number | boolean): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
