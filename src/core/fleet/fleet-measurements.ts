import { z } from 'zod';
import { servingParts } from '../../model/telemetry/serving-attributes.ts';
import type { Measurements } from '../analysis/impact/measurement-table.ts';
import { impact } from '../analysis/impact/parameters.ts';
import { fromSpans, partsBySpans } from '../analysis/impact/request-buckets.ts';
import type { PartBucketFact, RequestBucketFact } from '../store/facts/reader.ts';
import { fleetQueries } from './queries/index.ts';
import {
  checkedRows,
  type FleetQuestion,
  numbers,
  requireTable,
  rowsOf,
  wholeNumber,
  wholeNumbers,
  windowValues,
} from './question.ts';

/** Intervals of one answer: some 25 MB. Services of one question: their names are in its address. */
const MOST_INTERVALS = 200_000;
const MOST_SERVICES = 200;

const enteredRow = z.object({
  service: z.string(),
  standing: z.number(),
  spans: wholeNumber,
  first_ns: wholeNumber,
  last_ns: wholeNumber,
  all_spans: wholeNumber,
});
type Entered = z.output<typeof enteredRow>;

const quantiles = ['p30', 'p50', 'p70', 'p95', 'p99'] as const;
const requestRow = z
  .object({
    service: z.string(),
    slots: wholeNumbers,
    firsts: wholeNumbers,
    lasts: wholeNumbers,
    ends: numbers,
    counts: numbers,
    failures: numbers,
    p30: numbers,
    p50: numbers,
    p70: numbers,
    p95: numbers,
    p99: numbers,
  })
  .refine(({ service: _, ...lists }) => Object.values(lists).every(({ length }) => length === lists.slots.length));

const partRow = z.object({
  service: z.string(),
  part: z.enum(['model', 'route', 'tenant', 'replica']),
  name: z.string(),
  time_ns: wholeNumber,
  last_end_ns: wholeNumber,
  requests: z.number(),
  quantiles: z.array(z.number()).length(quantiles.length),
  error_rate: z.number(),
});

export interface FleetMeasurements {
  readonly measurements: readonly Measurements[];
  /** Empty where they were not asked for. */
  readonly parts: readonly Measurements[];
  /** Of services, by number. */
  readonly names: readonly string[];
  readonly requests: number;
}

/** How many of the services are measured so far. */
export interface FleetProgress {
  readonly done: number;
  readonly services: number;
}

/** Services as their spans measure them, as in a case: `readMeasurements`. */
export async function* fleetMeasurements(
  question: FleetQuestion,
  withParts: boolean,
): AsyncGenerator<FleetProgress, FleetMeasurements, void> {
  await requireTable(question.store, 'traces', question.signal);
  const entered = await rowsOf(enteredRow, question, fleetQueries.enteredServices, windowValues(question));
  const names = entered.map(({ service }) => service).sort();
  const numberOf = new Map(names.map((name, i) => [name, i]));
  const facts: RequestBucketFact[][] = [];
  const pages = pagesOf(entered, question);
  const ask = (page: Page | undefined) => page && askRequests(page, question);
  let next = ask(pages[0]);
  let done = 0;
  for (const [i, page] of pages.entries()) {
    yield { done, services: names.length };
    const answer = await next!;
    // The archive works on the next answer while this one is read.
    next = ask(pages[i + 1]);
    facts.push(requestsIn(answer, page, numberOf));
    done += page.services.length;
  }
  const parts = withParts ? await partsOf(question, entered, numberOf) : [];
  return { measurements: fromSpans(facts.flat()), parts, names, requests: sumOf(entered) };
}

const sumOf = (entered: readonly Entered[]): number => entered.reduce((sum, { spans }) => sum + Number(spans), 0);

interface Page {
  readonly width_ns: bigint;
  readonly standing: number;
  readonly services: readonly string[];
}

/** As in service-spans.sql: 20 spans on average, if 60 s have as many. */
function widthOf({ spans, first_ns, last_ns }: Entered): bigint {
  const per_s = Number(spans) / Math.max(Number(last_ns - first_ns) / 1e9, 1);
  return BigInt(per_s >= 2 ? 10 : per_s >= 20 / 30 ? 30 : 60) * 1_000_000_000n;
}

/** Services of equal intervals, so many that one answer holds them. */
function pagesOf(entered: readonly Entered[], { window }: FleetQuestion): Page[] {
  const alike = Map.groupBy(entered, (one) => `${widthOf(one)} ${one.standing}`);
  return [...alike.values()].flatMap((all) => {
    const width_ns = widthOf(all[0]!);
    const intervals = Number((window.until_ns - window.from_ns) / width_ns) + 2;
    const size = Math.min(MOST_SERVICES, Math.max(1, Math.floor(MOST_INTERVALS / intervals)));
    return Array.from({ length: Math.ceil(all.length / size) }, (_, page) => ({
      width_ns,
      standing: all[0]!.standing,
      services: all.slice(page * size, (page + 1) * size).map(({ service }) => service),
    }));
  });
}

function askRequests({ width_ns, standing, services }: Page, question: FleetQuestion): Promise<readonly unknown[]> {
  const values = { ...windowValues(question), width_ns, standing, services };
  const answer = question.store.query(fleetQueries.serviceRequests, values, question.signal);
  // It may fail before anybody waits for it.
  answer.catch(() => undefined);
  return answer;
}

function requestsIn(
  answer: readonly unknown[],
  { width_ns }: Page,
  numberOf: ReadonlyMap<string, number>,
): RequestBucketFact[] {
  const rows = checkedRows(requestRow, answer);
  const width_s = Number(width_ns) / 1e9;
  return rows.flatMap((row) => {
    const { service: name, slots, firsts, lasts, ends, counts, failures, p30, p50, p70, p95, p99 } = row;
    const service = numberOf.get(name) ?? -1;
    const inOrder = Uint32Array.from(slots.keys()).sort((a, b) => slots[a]! - slots[b]!);
    // Millions of intervals: one object each, and nothing else.
    return Array.from(inOrder, (i): RequestBucketFact => {
      const begin_ns = BigInt(slots[i]!) * width_ns;
      const requests = counts[i]!;
      return {
        service,
        width_ns,
        time_ns: begin_ns + width_ns,
        first_ns: begin_ns + BigInt(firsts[i]!),
        last_ns: begin_ns + BigInt(lasts[i]!),
        last_end_ns: begin_ns + BigInt(Math.round(ends[i]!)),
        requests,
        p30: p30[i]! / 1e6,
        p50: p50[i]! / 1e6,
        p70: p70[i]! / 1e6,
        p95: p95[i]! / 1e6,
        p99: p99[i]! / 1e6,
        error_rate: (100 * failures[i]!) / requests,
        throughput: requests / width_s,
      };
    });
  });
}

type FiveNumbers = [number, number, number, number, number];

const namesOf = (part: string): string[] => servingParts.flatMap((one) => (one.part === part ? [one.name] : []));

/** Models, routes, tenants and replicas, of which a service has several, as in a case: `readParts`. */
async function partsOf(
  question: FleetQuestion,
  entered: readonly Entered[],
  numberOf: ReadonlyMap<string, number>,
): Promise<Measurements[]> {
  const rows = await rowsOf(partRow, question, fleetQueries.serviceParts, {
    ...windowValues(question),
    services: entered.map(({ service }) => service),
    standings: entered.map(({ standing }) => standing),
    models: namesOf('model'),
    routes: namesOf('route'),
    tenants: namesOf('tenant'),
    share: 2 ** Math.max(0, Math.ceil(Math.log2(Number(entered[0]?.all_spans ?? 0) / impact.mostPartSpans))),
    requests: impact.leastPartBefore + impact.leastPartRequests,
    parts: impact.mostParts,
    rows: impact.mostPartRows,
  });
  const facts = rows.map(({ service, quantiles: values, ...row }): PartBucketFact => {
    const [p30, p50, p70, p95, p99] = values.map((value) => value / 1e6) as FiveNumbers;
    return { ...row, service: numberOf.get(service) ?? -1, p30, p50, p70, p95, p99 };
  });
  return partsBySpans(facts);
}
