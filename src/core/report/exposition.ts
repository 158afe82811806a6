import type { IncidentView, NoticeView } from '../../model/contract/index.ts';
import type { Throttling } from './telemetry.ts';

/** A capture's own counters and its conclusions, as a page to scrape. */
export interface Exposed {
  readonly feeds: readonly {
    readonly name: string;
    readonly up: boolean;
    readonly rows: number;
    readonly lost: number;
  }[];
  readonly incidents: readonly IncidentView[];
  readonly notices: readonly NoticeView[];
  readonly throttling: Throttling;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | null];

/**
 * Prometheus text exposition, version 0.0.4. Names follow what they mean in OpenTelemetry (`gpu.throttle.power` in seconds is
 * `gpu_throttle_power_seconds_total`). An unknown value has no line.
 */
export function exposition({ feeds, incidents, notices, throttling }: Exposed): string {
  const ofFeeds = (value: (feed: Exposed['feeds'][number]) => number) =>
    feeds.map((feed): Sample => [{ feed: feed.name }, value(feed)]);
  const breaches = notices.map(({ entity_kind, entity_id, metric, limit_name, breach_s }): Sample => {
    const entityKey = `${entity_kind}:${entity_id}`;
    return [{ entity: entityKey, metric, limit: limit_name }, breach_s];
  });
  return [
    gauge(
      'faultline_feed_up',
      'Whether a feed receives anything',
      ofFeeds(({ up }) => (up ? 1 : 0)),
    ),
    counter(
      'faultline_feed_rows_total',
      'Rows recorded of a feed',
      ofFeeds(({ rows }) => rows),
    ),
    counter(
      'faultline_feed_lost_total',
      'Records of a feed known to be gone',
      ofFeeds(({ lost }) => lost),
    ),
    ...incidentFamilies(incidents),
    gauge('faultline_limit_breach_seconds', 'Seconds until a limit is reached, if it goes on as it does', breaches),
    ...[...Map.groupBy(throttling.times, ({ reason }) => reason)].map(([reason, own]) =>
      counter(
        `gpu_throttle_${reason}_seconds_total`,
        `Seconds for which a GPU was held down (${reason}) since the recording began`,
        own.map(({ gpu, seconds }) => [{ gpu }, seconds]),
      ),
    ),
    ...throttleStates(throttling),
  ].join('');
}

/** An unknown name has no label. */
function throttleStates({ states }: Throttling): string[] {
  return [...Map.groupBy(states, ({ reason }) => reason)].map(([reason, own]) =>
    gauge(
      `gpu_throttle_${reason}_active`,
      `Whether a GPU is held down (${reason}): 1 or 0`,
      own.map(({ gpu, gpu_uuid, gpu_index, host_name, is_active }): Sample => {
        const names = Object.entries({ gpu, gpu_uuid, gpu_index, host_name });
        const known = names.filter((pair): pair is [string, string] => pair[1] !== null);
        return [Object.fromEntries(known), is_active ? 1 : 0];
      }),
    ),
  );
}

function incidentFamilies(incidents: readonly IncidentView[]): string[] {
  const about = ({ incident, service }: IncidentView) => ({ incident: incident.id, service });
  const each = (value: (view: IncidentView) => number | null) =>
    incidents.map((view): Sample => [about(view), value(view)]);
  const probabilities = incidents.flatMap((view) =>
    view.incident.hypotheses.map(({ rank, type, subject, probability }): Sample => {
      const named = { rank: String(rank), type, subject: subject ? `${subject.kind}:${subject.id}` : '' };
      return [{ ...about(view), ...named }, probability];
    }),
  );
  const impact = (field: Exclude<keyof IncidentView['incident']['impact'], 'mean'>) =>
    each(({ incident }) => incident.impact[field]);
  const start_s = each(({ start_ns }) => Number(start_ns / 1_000_000n) / 1000);
  return [
    gauge('faultline_incidents', 'Incidents found so far', [[{}, incidents.length]]),
    gauge('faultline_hypothesis_probability', 'How likely something is the cause of an incident', probabilities),
    gauge('faultline_incident_start_seconds', 'Unix time at which an incident began', start_s),
    gauge('faultline_incident_latency_p99_baseline_milliseconds', 'P99 as it used to be', impact('p99_baseline_ms')),
    gauge('faultline_incident_latency_p99_peak_milliseconds', 'Worst P99', impact('p99_peak_ms')),
    gauge('faultline_incident_error_rate_peak_percent', 'Worst error rate', impact('error_rate_peak_percent')),
  ];
}

const gauge = (name: string, help: string, samples: readonly Sample[]) => family(name, 'gauge', { help, samples });
const counter = (name: string, help: string, samples: readonly Sample[]) => family(name, 'counter', { help, samples });

interface Family {
  readonly help: string;
  readonly samples: readonly Sample[];
}

function family(name: string, type: 'gauge' | 'counter', { help, samples }: Family): string {
  const known = samples.filter(([, value]) => value !== null);
  if (known.length === 0) return '';
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${known.map((sample) => `${name}${line(sample)}\n`).join('')}`;
}

function line([labels, value]: Sample): string {
  const named = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${named.length === 0 ? '' : `{${named.join(',')}}`} ${value}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
