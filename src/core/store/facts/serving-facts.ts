import type { SqlValue } from '../../../model/storage/engine.ts';
import {
  SERVING_MARKS,
  type ServingPart,
  type ServingQuantity,
  servingAttributes,
  servingParts,
} from '../../../model/telemetry/serving-attributes.ts';
import { meanCounters, servingMetrics } from '../../../model/telemetry/serving-metrics.ts';
import { stageKinds, toolNames } from '../../../model/telemetry/serving-stages.ts';
import { queries } from '../queries/index.ts';
import type { PartBucketFact } from './request-bucket.ts';
import type { RunQuery } from './software-facts.ts';

/** One quantity of the serving of a model in one slice of time. */
export interface ServingFact {
  /** Canonical: a service, or a GPU. */
  readonly service: number;
  /** Pod, instance or host; '': unnamed; null: all of the service together. */
  readonly replica: string | null;
  /** null: several, or unknown. */
  readonly model: string | null;
  /** Number of the slice since the epoch. */
  readonly slice: bigint;
  readonly quantity: ServingQuantity;
  readonly readings: number;
  readonly mean: number;
  /** Median. */
  readonly middle: number;
  readonly total: number;
  readonly high: number;
  /** A span or sample. */
  readonly ref: string;
}

/** Calls of one tool in one slice of time. */
export interface ToolCallFact extends ServingFact {
  readonly tool: string;
}

/** Tokens of requests alike in one slice of time, with the span of most tokens; null: not recorded. */
export interface RequestedTokensFact extends Omit<ServingFact, 'replica' | 'quantity'> {
  readonly quantity: 'input_tokens' | 'output_tokens';
  /** The service or agent that called. */
  readonly caller: string | null;
  /** The service in which their traces begin, if another one. */
  readonly first: string | null;
  readonly tenant: string | null;
}

/** Requests of one part of those of a service in one slice of time. */
export interface ServingPartFact {
  /** Canonical. */
  readonly service: number;
  readonly part: ServingPart;
  readonly name: string;
  /** Number of the slice since the epoch. */
  readonly slice: bigint;
  readonly readings: number;
  /** Seconds. */
  readonly mean: number;
  /** The longest span. */
  readonly ref: string;
}

/** Requests, or tokens, that were counted in a slice of time, with the time that they took together. */
export interface CountedDurationFact {
  readonly service: number;
  readonly of: 'request' | 'token';
  /** What may take longer than others: a model, or the number of a summary. */
  readonly kind: string;
  /** JSON object text, or ''. */
  readonly attributes: string;
  readonly width_ns: bigint;
  readonly time_ns: bigint;
  readonly seconds: number;
  readonly count: number;
}

export interface ServingReader {
  /** By service, tool and time. @param share one trace of so many is read */
  toolCalls(slice_ns: bigint, share: bigint, most: number): Promise<ToolCallFact[]>;
  /** By service, quantity and time. @param share one trace of so many is read */
  requestedTokens(slice_ns: bigint, share: bigint, most: number): Promise<RequestedTokensFact[]>;
  /** By service, what is counted, and time. @param summaries numbers of series */
  countedDurations(summaries: readonly number[]): Promise<CountedDurationFact[]>;
  /**
   * By service, part and time; of kinds with several parts.
   * @param share one trace of so many is read
   * @param limits fewest requests of a part; parts of a kind and service, and rows, at most
   */
  serviceParts(
    share: bigint,
    limits: Readonly<Record<'requests' | 'parts' | 'rows', number>>,
  ): Promise<PartBucketFact[]>;
  /** By service, part and time; of parts of which there are several. @param parts of a kind, those with most requests */
  servingParts(slice_ns: bigint, share: bigint, parts: number, most: number): Promise<ServingPartFact[]>;
  /**
   * By spans and then by metrics, each by service and time; rows of replicas last, of GPUs none. Empty without any of services.
   * @param share one trace of so many is read
   */
  servingFacts(slice_ns: bigint, share: bigint, most: number): Promise<ServingFact[]>;
}

const toolKinds = stageKinds.flatMap(({ stage, name, value }) => (stage === 'tool' ? [{ name, value }] : []));

/** What attributes mean, and those that name a model. */
const spanAttributes: readonly SqlValue[] = [
  JSON.stringify(servingAttributes),
  servingAttributes.flatMap(({ name, quantity }) => (quantity === 'model' ? [name] : [])).join(),
];

const namesOf = (kind: ServingPart): string =>
  servingParts.flatMap(({ name, part }) => (part === kind ? [name] : [])).join();

/** In the text of attributes that name a part. */
const PART_MARKS = `"(${servingParts.map(({ name }) => name.replaceAll('.', '\\.')).join('|')})"`;

/** Attributes with tokens of prompts and answers, and a mark of them in the text of attributes. */
const tokenAttributes = servingAttributes.filter(
  ({ quantity }) => quantity === 'input_tokens' || quantity === 'output_tokens',
);
const TOKEN_MARKS = `"(${tokenAttributes.map(({ name }) => name.replaceAll('.', '\\.')).join('|')})"`;

/** Metrics of the serving of models, and those of the GPUs that serve them. */
const [ofServices, ofGpus] = [false, true].map((isOfGpus) =>
  JSON.stringify(servingMetrics.filter(({ quantity }) => (quantity === 'busy') === isOfGpus)),
) as [string, string];

/** In the text of attributes of calls of tools. */
const TOOL_MARKS = `"(${[...toolNames, ...toolKinds.map(({ name }) => name)].map((name) => name.replaceAll('.', '\\.')).join('|')})"`;

/** Whether the case has one of these: to prepare a long query that then finds nothing takes ten times as long. */
async function hasMetric(runQuery: RunQuery, known: readonly { readonly metric: string }[]): Promise<boolean> {
  const names = new Set(known.map(({ metric }) => metric));
  return (await runQuery<{ metric: string }>(queries.metricNames)).some(({ metric }) => names.has(metric));
}

export const createServingReader = (runQuery: RunQuery): ServingReader => ({
  toolCalls: (slice_ns, share, most) =>
    runQuery(queries.toolCalls, [
      ...[TOOL_MARKS, JSON.stringify(toolKinds), toolNames.join()],
      ...[slice_ns, share, BigInt(most)],
    ]),
  requestedTokens: (slice_ns, share, most) =>
    runQuery(queries.requestedTokens, [
      ...[JSON.stringify(tokenAttributes), namesOf('model'), namesOf('tenant'), TOKEN_MARKS],
      ...[slice_ns, share, BigInt(most)],
    ]),
  countedDurations: async (summaries) =>
    summaries.length > 0 || (await hasMetric(runQuery, meanCounters))
      ? runQuery(queries.countedDurations, [JSON.stringify(meanCounters), summaries.join()])
      : [],
  serviceParts: (share, { requests, parts, rows }) =>
    runQuery(queries.serviceParts, [
      ...(['model', 'route', 'tenant'] as const).map(namesOf),
      PART_MARKS,
      share,
      BigInt(requests),
      BigInt(parts),
      BigInt(rows),
    ]),
  servingParts: (slice_ns, share, parts, most) =>
    runQuery(queries.servingParts, [
      JSON.stringify(servingParts),
      SERVING_MARKS,
      slice_ns,
      share,
      BigInt(parts),
      BigInt(most),
    ]),
  servingFacts: async (slice_ns, share, most) => {
    const spans = await runQuery<ServingFact>(queries.servingSpans, [
      ...spanAttributes,
      SERVING_MARKS,
      slice_ns,
      share,
      BigInt(most),
    ]);
    const limits = [slice_ns, BigInt(most)];
    const keyOf = ({ service, quantity }: ServingFact): string => `${service} ${quantity}`;
    const stated = new Set(spans.map(keyOf));
    const isMeasured = await hasMetric(runQuery, servingMetrics);
    const measuredBy = (sql: string): Promise<ServingFact[]> =>
      isMeasured ? runQuery<ServingFact>(sql, [ofServices, ...limits]) : Promise.resolve([]);
    const distributions = await measuredBy(queries.servingDistributions);
    const facts = [
      ...spans,
      // Spans state the same requests one by one.
      ...distributions.filter((fact) => !stated.has(keyOf(fact))),
      ...(await measuredBy(queries.servingSamples)),
    ];
    // Of a fleet that serves no models, thousands of rows would be beside nothing.
    return facts.length === 0
      ? []
      : [...facts, ...(await runQuery<ServingFact>(queries.servingSamples, [ofGpus, ...limits]))];
  },
});
