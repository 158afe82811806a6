import type { Chance } from './chance.ts';
import { type Load, quantile, type ServiceState, shareBelow } from './load.ts';
import { BOUNDS_S, type GaugeRow, type HistogramRow, type RecordedSpan, type ServiceTelemetry } from './recording.ts';
import type { Service } from './site.ts';

interface Measured {
  readonly service: Service;
  readonly load: Load;
  readonly chance: Chance;
  readonly length_s: number;
}

/** Demand over the day and over an hour: nothing that happens in minutes, and never quite flat. */
function createTide(chance: Chance): (at_s: number) => number {
  const phase = chance.between(0, 6.28);
  const other = chance.between(0, 6.28);
  const [daily, hourly] = [chance.between(0.1, 0.35), chance.between(0.01, 0.08)];
  return (at_s) =>
    1 + daily * Math.sin(phase + (6.28 * at_s) / 86_400) + hourly * Math.sin(other + (6.28 * at_s) / 2700);
}

/** States within an interval that ends at `at_s`: what a p99 over it is the p99 of. */
function statesOf({ load, service }: Measured, at_s: number, interval_s: number): ServiceState[] {
  const parts = Math.min(6, Math.max(1, Math.round(interval_s / 5)));
  return Array.from({ length: parts }, (_, i) =>
    load.stateAt(service.name, at_s - interval_s * ((parts - i - 0.5) / parts)),
  );
}

const mean = (states: readonly ServiceState[], of: (state: ServiceState) => number): number =>
  states.reduce((sum, state) => sum + of(state), 0) / states.length;

/** Gauges each `interval_s`, as noisy as the number of requests behind each makes them. */
export function gauges(measured: Measured, interval_s: number): ServiceTelemetry {
  const { service, chance, length_s } = measured;
  const tide = createTide(chance);
  const rows: GaugeRow[] = [];
  const phase = chance.between(0, interval_s);
  // Now and then a scrape fails, or one slow client makes a p99 of its own.
  const blip_s = chance.chance(0.3) ? chance.between(60, length_s - 60) : -1;
  // Summaries of client libraries look back over a window that is longer than the interval of a fast scrape.
  const window_s = Math.max(interval_s, 10);
  const noise = service.form === 'training' ? 0.02 : 0.03 + 0.35 / Math.sqrt(Math.max(4, service.rate * window_s));
  for (let at_s = phase + window_s; at_s < length_s; at_s += interval_s) {
    if (chance.chance(0.003)) continue;
    const states = statesOf(measured, at_s, window_s);
    const level = tide(at_s);
    const busy = service.form === 'training' ? 1 : 1 + 0.3 * (level - 1);
    const rate = mean(states, (state) => state.rate) * (service.form === 'training' ? 1 : level);
    const requests = rate * window_s;
    const blip = blip_s > 0 && Math.abs(at_s - blip_s) <= interval_s / 2 ? chance.between(1.4, 2.6) : 1;
    const silent = requests < 0.5;
    const measure = (q: 0.5 | 0.99, wobble: number) =>
      silent ? Number.NaN : quantile(states, q) * busy * Math.exp(wobble * chance.normal());
    const count = chance.poisson(requests);
    const errors =
      count === 0 ? Number.NaN : (100 * Math.min(count, chance.poisson(count * mean(states, (s) => s.errors)))) / count;
    rows.push({
      at_s,
      p50: measure(0.5, noise / 2),
      p99: measure(0.99, noise) * blip,
      error_rate: service.form === 'training' ? Number.NaN : errors,
      throughput: service.form === 'training' ? rate * Math.exp(0.01 * chance.normal()) : count / window_s,
    });
  }
  return { form: 'gauges', service: service.name, rows };
}

/** Cumulative server histograms as an OpenTelemetry SDK exports them each `interval_s`. */
export function histograms(measured: Measured, interval_s: number): ServiceTelemetry {
  const { service, chance, length_s } = measured;
  const tide = createTide(chance);
  const ok = new Array<number>(BOUNDS_S.length + 1).fill(0);
  const failed = new Array<number>(BOUNDS_S.length + 1).fill(0);
  const rows: HistogramRow[] = [];
  const phase = chance.between(0, interval_s);
  for (let at_s = phase + interval_s; at_s < length_s; at_s += interval_s) {
    const states = statesOf(measured, at_s, interval_s);
    const requests = chance.poisson(mean(states, (state) => state.rate) * interval_s * tide(at_s));
    const errors = mean(states, (state) => state.errors);
    for (let i = 0, below = 0; i <= BOUNDS_S.length; i++) {
      const upper = i < BOUNDS_S.length ? shareBelow(states, (BOUNDS_S[i] as number) * 1000) : 1;
      const here = chance.poisson(requests * (upper - below));
      const bad = Math.min(here, chance.poisson(here * errors));
      ok[i] = ok[i]! + here - bad;
      failed[i] = failed[i]! + bad;
      below = upper;
    }
    rows.push({ at_s, ok: [...ok], failed: [...failed] });
  }
  return { form: 'histograms', service: service.name, rows };
}

/** Requests as traces: a server span per service, a client span around each call. */
export function traces(
  services: readonly Service[],
  load: Load,
  { chance, length_s }: { readonly chance: Chance; readonly length_s: number },
): RecordedSpan[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  const spans: RecordedSpan[] = [];
  const request = (
    service: Service,
    from: { at_s: number; trace: string; parent: string },
  ): { took_s: number; failed: boolean } => {
    const state = load.ownState(service, from.at_s);
    const part = drawn(state, chance.next());
    const work_s = chance.around(part.median_ms, state.sigma) / 1000;
    let failed = chance.chance(state.errors);
    const id = chance.hex(16);
    let at_s = from.at_s + work_s * 0.2;
    for (const name of failed ? [] : service.calls) {
      const client = chance.hex(16);
      const answer = request(byName.get(name)!, { at_s: at_s + 0.001, trace: from.trace, parent: client });
      const end_s = at_s + answer.took_s + 0.002;
      spans.push(
        span(service, {
          trace: from.trace,
          id: client,
          parent: id,
          name: `call ${name}`,
          kind: 3,
          start_s: at_s,
          end_s,
          failed: answer.failed,
        }),
      );
      failed ||= answer.failed && chance.chance(0.85);
      at_s = end_s;
    }
    const end_s = at_s + work_s * 0.8;
    spans.push(
      span(service, {
        trace: from.trace,
        id,
        parent: from.parent,
        name: `POST /${service.name}`,
        kind: 2,
        start_s: from.at_s,
        end_s,
        failed,
      }),
    );
    return { took_s: end_s - from.at_s, failed };
  };
  for (const service of services) {
    const tide = createTide(chance);
    // Thinning (Lewis and Shedler 1979): arrivals at the highest rate, of which only the due share is kept.
    const most = Math.min(MOST_TRACED, service.rate);
    const peak = most * 6;
    for (let at_s = chance.gap(peak); at_s < length_s; at_s += chance.gap(peak)) {
      const due = (load.ownState(service, at_s).rate / service.rate) * most * tide(at_s);
      if (chance.chance(due / peak)) request(service, { at_s, trace: chance.hex(32), parent: '' });
    }
  }
  return spans.sort((a, b) => a.start_s - b.start_s);
}

function drawn({ parts }: ServiceState, draw: number): ServiceState['parts'][number] {
  let left = draw;
  for (const part of parts) {
    left -= part.share;
    if (left < 0) return part;
  }
  return parts[0]!;
}

/** Traces are sampled at the head: a handful per second and service. */
const MOST_TRACED = 1;

const span = (service: Service, one: Omit<RecordedSpan, 'service'>): RecordedSpan => ({
  service: service.name,
  ...one,
});
