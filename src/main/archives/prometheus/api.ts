import { visibleLine } from '../../../base/visible-text.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import type { Answer, ArchiveClient, Members } from '../http/archive-client.ts';

/** Prometheus stores milliseconds. */
export const MILLISECOND = 1_000_000n;
/** Of each series in one answer of `query_range`. */
export const MOST_POINTS = 11_000n;

export const seconds = (time_ns: bigint): string => {
  const milliseconds = time_ns / MILLISECOND;
  return `${milliseconds / 1000n}.${String(milliseconds % 1000n).padStart(3, '0')}`;
};

const isAnswer = ({ status, data, isPartial, warnings }: Members): boolean | string => {
  if (isPartial === true || (Array.isArray(warnings) && warnings.length > 0))
    return `its answer is not whole${Array.isArray(warnings) ? `: ${visibleLine(String(warnings[0])).slice(0, 200)}` : ''}`;
  return status === 'success' && typeof data === 'object' && data !== null;
};

/** Thanos and VictoriaMetrics answer what they have when one of their stores is away, unless asked not to. */
const whole = { partial_response: 'false', deny_partial_response: '1' };

/** How servers refuse a query for its size (Prometheus, Thanos, Mimir, VictoriaMetrics), not for its text. */
const tooLarge =
  /too many (?:samples|points|data ?points)|exceed(?:s|ed|ing)\b|maxSamples|out of memory|limit (?:was |is )?(?:hit|reached)|(?:hit|reached) (?:the |a )?limit/i;

/** The HTTP API of Prometheus (https://prometheus.io/docs/prometheus/latest/querying/api/). */
export class PrometheusApi {
  private readonly client: ArchiveClient;
  private closedLeft: Promise<boolean> | undefined;

  constructor(client: ArchiveClient) {
    this.client = client;
  }

  /** Samples as they were recorded, each with its own time. */
  async samples(selector: string, window: TimeWindow, signal: AbortSignal): Promise<Answer> {
    const { from_ns, until_ns } = window;
    this.closedLeft ??= this.isClosedLeft(signal).catch((error: unknown) => {
      // The next slice asks again.
      this.closedLeft = undefined;
      throw error;
    });
    const length = (until_ns - from_ns) / MILLISECOND - ((await this.closedLeft) ? 1n : 0n);
    // A window of one instant has no length where both ends are in it.
    const range = length > 0n ? length : 1n;
    return this.ask(
      '/api/v1/query',
      { query: `${selector}[${range}ms]`, time: seconds(until_ns - MILLISECOND) },
      signal,
    );
  }

  /** The value at every step, as a dashboard shows it. */
  async steps(
    selector: string,
    { from_ns, until_ns }: TimeWindow,
    step_ns: bigint,
    signal: AbortSignal,
  ): Promise<Answer> {
    const range = { start: seconds(from_ns), end: seconds(until_ns - step_ns), step: seconds(step_ns) };
    return this.ask('/api/v1/query_range', { query: selector, ...range }, signal);
  }

  async exemplars(selector: string, { from_ns, until_ns }: TimeWindow, signal: AbortSignal): Promise<Answer> {
    const range = { start: seconds(from_ns), end: seconds(until_ns - MILLISECOND) };
    return this.ask('/api/v1/query_exemplars', { query: selector, ...range }, signal);
  }

  /** The numbers of an instant query by their labels. */
  async instant(query: string, at_ns: bigint, signal: AbortSignal): Promise<{ labels: Members; value: number }[]> {
    const { members } = await this.ask('/api/v1/query', { query, time: seconds(at_ns) }, signal);
    const { result } = members['data'] as { result?: unknown };
    return (Array.isArray(result) ? (result as unknown[]) : []).flatMap((one) => {
      const { metric, value } = (one ?? {}) as { metric?: Members; value?: unknown };
      const number = Array.isArray(value) ? Number(value[1]) : Number.NaN;
      return Number.isFinite(number) ? [{ labels: metric ?? {}, value: number }] : [];
    });
  }

  /** Before version 3 of Prometheus, ranges include both of their ends: the server shows which it is. */
  private async isClosedLeft(signal: AbortSignal): Promise<boolean> {
    const [points] = await this.instant('count_over_time(vector(1)[1s:1s])', 10_000_000_000n, signal);
    return points?.value === 2;
  }

  private ask(path: string, form: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    return this.client.json({ path, form: { ...form, ...whole }, tooLarge }, isAnswer, signal);
  }
}
