import { jsonMembers } from '../../../base/json-members.ts';
import {
  isOfCaller,
  labelOutcome,
  type RequestOutcome,
  readCounterName,
} from '../../../model/telemetry/request-outcome.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { CountedRequestsFact, CounterSeriesFact, Reader } from '../../store/facts/reader.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { impact } from './parameters.ts';

/** A counter of requests with its outcome by name and by label. */
interface Counter {
  readonly series_id: number;
  readonly named: RequestOutcome | undefined;
  readonly labelled: RequestOutcome | undefined;
}
interface Counted {
  readonly failed: readonly number[];
  readonly passed: readonly number[];
  readonly all: readonly number[];
}

/**
 * Error rates of services by counters of requests. Where a service counts requests in several places, they are those of the place
 * that counts most.
 */
export async function countedRequests(reader: Reader): Promise<Measurements[]> {
  const places = countersByPlace(await reader.counterSeries());
  const rows: CountedRequestsFact[][] = [];
  // The first places of all services are read together, then the second ones.
  for (const one of places.slice(0, impact.mostCounterPlaces))
    rows.push(...Map.groupBy(await reader.countedRequests(one), ({ service }) => service).values());
  const most = new Map<number, CountedRequestsFact[]>();
  for (const own of rows) {
    const { service } = own[0]!;
    if (sumOf(own) > sumOf(most.get(service) ?? [])) most.set(service, own);
  }
  return [...most.values()].map(toTable);
}

const requestsOf = ({ failed, passed, total }: CountedRequestsFact): number =>
  total > 0 ? Math.max(total, failed) : failed + passed;
const sumOf = (rows: readonly CountedRequestsFact[]): number => rows.reduce((sum, row) => sum + requestsOf(row), 0);

function toTable(rows: readonly CountedRequestsFact[]): Measurements {
  const { service, width_ns } = rows[0]!;
  const table = emptyMeasurements(
    service,
    'counters',
    rows.map(({ time_ns }) => time_ns),
  );
  for (const [i, row] of rows.entries()) {
    const requests = requestsOf(row);
    table.requests[i] = requests;
    table.throughput[i] = requests / (Number(width_ns) / 1e9);
    if (requests > 0) table.error_rate[i] = (100 * failedOf(row)) / requests;
  }
  return table;
}

/** Of requests that are counted in all and where they passed, the others failed. */
const failedOf = ({ failed, passed, total }: CountedRequestsFact): number =>
  total > 0 && passed > 0 && failed === 0 ? Math.max(0, total - passed) : failed;

/** Counters of all services; those of a second place of a service are in a second entry. */
function countersByPlace(series: readonly CounterSeriesFact[]): Counted[] {
  const groups = new Map<number, Map<string, Counter[]>>();
  for (const fact of series) {
    const name = readCounterName(fact.metric);
    const labels = new Map(Object.entries(jsonMembers(fact.attributes)).map(([key, value]) => [key, String(value)]));
    if (!name || [...labels].some(([key, value]) => isOfCaller(key, value))) continue;
    const outcomes = [...labels].map(([key, value]) => labelOutcome(key, value));
    const labelled = outcomes.includes('failed') ? 'failed' : outcomes.find((one) => one !== undefined);
    const places = groups.get(fact.service) ?? new Map<string, Counter[]>();
    groups.set(fact.service, places);
    const own = places.get(name.stem) ?? [];
    places.set(name.stem, own);
    own.push({ series_id: fact.series_id, named: name.outcome, labelled });
  }
  const rounds: { failed: number[]; passed: number[]; all: number[] }[] = [];
  for (const places of groups.values()) {
    const known = [...places.values()].flatMap((counters) => partsOf(counters) ?? []);
    for (const [at, parts] of known.entries()) {
      rounds[at] ??= { failed: [], passed: [], all: [] };
      for (const part of ['failed', 'passed', 'all'] as const) rounds[at][part].push(...parts[part]);
    }
  }
  return rounds;
}

/** Counters of one place by outcome; undefined: none is known, or only one. */
function partsOf(counters: readonly Counter[]): Counted | undefined {
  const numbers = (own: readonly Counter[]): number[] => own.map(({ series_id }) => series_id);
  const plain = counters.filter(({ named }) => named === undefined);
  const labelled = plain.filter(({ labelled: outcome }) => outcome !== undefined);
  if (labelled.length > 0) {
    const outcomes = Map.groupBy(labelled, ({ labelled: outcome }) => outcome);
    return { failed: numbers(outcomes.get('failed') ?? []), passed: numbers(outcomes.get('passed') ?? []), all: [] };
  }
  // What was cancelled did not fail, and `error` among the reasons why requests ended is no success.
  const named = Map.groupBy(
    counters.filter((one) => one.named !== undefined),
    (one) => one.labelled ?? one.named,
  );
  const [failed, passed] = [numbers(named.get('failed') ?? []), numbers(named.get('passed') ?? [])];
  if (failed.length + passed.length === 0 || (plain.length === 0 && (failed.length === 0 || passed.length === 0)))
    return undefined;
  return { failed, passed, all: numbers(plain) };
}

/** Error rates by counters for a service whose other measurements show none. */
export function withCountedErrors(table: Measurements, counted: Measurements): Measurements {
  if (table.from === 'spans' || table.error_rate.some((rate) => rate > 0)) return table;
  const width_s =
    Math.max(...[table, counted].map(({ time_ns }) => medianInterval(time_ns) || 0)) || impact.singleMeasurementSeconds;
  const width = nanoseconds(width_s);
  const error_rate = table.error_rate.slice();
  let at = 0;
  for (const [i, time] of table.time_ns.entries()) {
    while (at < counted.time_ns.length && counted.time_ns[at]! <= time - width) at++;
    let [failed, requests] = [0, 0];
    for (let next = at; next < counted.time_ns.length && counted.time_ns[next]! <= time; next++) {
      requests += counted.requests[next]!;
      failed += (counted.requests[next]! * (counted.error_rate[next] || 0)) / 100;
    }
    if (requests > 0) error_rate[i] = (100 * failed) / requests;
  }
  return { ...table, error_rate };
}
