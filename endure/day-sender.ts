import { message, request } from '../test/support/otlp-wire.ts';

const signals = ['logs', 'traces', 'metrics'] as const;
export type Signal = (typeof signals)[number];

/** Of one request. */
export const RECORDS = 60;
const EVERY_MS = 250;
const AGAIN_MS = 200;
/** Longer than any answer takes on a busy machine. */
const PATIENCE_MS = 20_000;

/** What became of one request; its records bear its number and theirs. */
export interface Sent {
  readonly signal: Signal;
  readonly number: number;
  /** `acknowledged`: 200, nothing rejected; `unknown`: the connection ended before there was an answer. */
  readonly fate: 'acknowledged' | 'refused' | 'unknown';
  readonly at_ms: number;
}

/** A program that exports logs, spans and metrics at a steady rate, and never resends what may have been stored. */
export class Sender {
  readonly sent: Sent[] = [];
  /** Responses that asked for a retry. */
  again = 0;
  /** Where to, null: nothing listens. */
  url: string | null = null;
  private number = 0;
  private timer: NodeJS.Timeout | null = null;
  private readonly pending = new Set<Promise<void>>();

  begin(): void {
    this.timer = setInterval(() => {
      for (const signal of signals) {
        const sending = this.send(signal, this.number).finally(() => this.pending.delete(sending));
        this.pending.add(sending);
      }
      this.number++;
    }, EVERY_MS);
  }

  /** Settles when everything has its answer. */
  async end(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await Promise.all(this.pending);
  }

  private async send(signal: Signal, number: number): Promise<void> {
    const { body, type } = bodyOf(signal, number);
    for (;;) {
      const { url } = this;
      const settle = (fate: Sent['fate']) => void this.sent.push({ signal, number, fate, at_ms: Date.now() });
      if (url === null) return settle('refused');
      try {
        const headers = { 'content-type': type };
        const patience = AbortSignal.timeout(PATIENCE_MS);
        const answer = await fetch(`${url}/v1/${signal}`, { method: 'POST', headers, body, signal: patience });
        const answerBody = Buffer.from(await answer.arrayBuffer());
        // A full success has no fields: an empty message, or an empty object.
        if (answer.status === 200)
          return settle(/^(\{\})?$/.test(answerBody.toString().trim()) ? 'acknowledged' : 'refused');
        if (answer.status !== 429) return settle('refused');
        this.again++;
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as { code?: string };
        return settle(code === 'ECONNREFUSED' ? 'refused' : 'unknown');
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Identity of a record: the id of a span, the value of a metric; a log has both numbers. */
export const idOf = (number: number, record: number): number => number * 1000 + record + 1;

function bodyOf(signal: Signal, number: number): { readonly body: BodyInit; readonly type: string } {
  const records = Array.from({ length: RECORDS }, (_, record) => record);
  const now = BigInt(Date.now()) * 1_000_000n;
  if (signal === 'traces') {
    const id = (value: bigint, length: number) => Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
    const spans = records.map((record) =>
      message([
        [1, id((1n << 64n) + BigInt(number + 1), 16)],
        [2, id(BigInt(idOf(number, record)), 8)],
        [5, 'day'],
        [6, 2],
        [7, now, 'fixed64'],
        [8, now + 1_000_000n, 'fixed64'],
      ]),
    );
    const service = [
      [
        1,
        [
          [1, 'service.name'],
          [2, [[1, 'day']]],
        ],
      ],
    ] as const;
    return { body: new Uint8Array(request(spans, service)), type: 'application/x-protobuf' };
  }
  const resource = { attributes: [{ key: 'host.name', value: { stringValue: 'sender' } }] };
  const timeUnixNano = String(now);
  const body =
    signal === 'logs'
      ? {
          resourceLogs: [
            { resource, scopeLogs: [{ logRecords: records.map((record) => logOf(number, record, timeUnixNano)) }] },
          ],
        }
      : { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metricOf(number, records, timeUnixNano)] }] }] };
  return { body: JSON.stringify(body), type: 'application/json' };
}

const logOf = (number: number, record: number, timeUnixNano: string) => ({
  timeUnixNano,
  severityNumber: 9,
  body: { stringValue: `day ${idOf(number, record)} step took ${(Math.random() * 100).toFixed(3)} ms` },
});

const metricOf = (number: number, records: readonly number[], timeUnixNano: string) => ({
  name: 'day.record',
  gauge: {
    dataPoints: records.map((record) => ({
      timeUnixNano,
      asDouble: idOf(number, record),
      attributes: [{ key: 'record', value: { intValue: String(record) } }],
    })),
  },
});
