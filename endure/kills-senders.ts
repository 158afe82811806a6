import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What was handed over, and when the last of it was answered, by this machine's clock. */
export interface Delivered {
  readonly number: number;
  readonly at_ms: number;
}

/** An exporter of Prometheus text whose only sample counts how often it was asked. */
export interface Agent {
  readonly url: string;
  /** Counts from 1. */
  readonly served: readonly Delivered[];
  close(): void;
}

export async function startAgent(): Promise<Agent> {
  const served: Delivered[] = [];
  let number = 0;
  const server = createServer((_, answer) => {
    const own = ++number;
    answer.setHeader('content-type', 'text/plain; version=0.0.4');
    answer.end(`# TYPE kills_asked gauge\nkills_asked ${own}\n`, () => served.push({ number: own, at_ms: Date.now() }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/metrics`, served, close };
}

const PER_REQUEST = 20;
const EVERY_MS = 25;

/** Numbers sent twice, as a log record and as a span. */
export interface Sender {
  /** Counts from 1: the last number of each answered pair of requests, and when. */
  readonly acknowledged: readonly Delivered[];
  stop(): void;
}

/** Sends OTLP over HTTP until it is stopped or the receiver is gone. @param address `127.0.0.1:4318` */
export function startSender(address: string): Sender {
  const acknowledged: Delivered[] = [];
  const ended = new AbortController();
  const post = async (path: string, body: unknown): Promise<boolean> => {
    for (;;) {
      const answer = await fetch(`http://${address}/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: ended.signal,
      });
      await answer.arrayBuffer();
      if (answer.status !== 429) return answer.status === 200;
      await pause(200);
    }
  };
  const send = async (): Promise<void> => {
    for (let first = 1; !ended.signal.aborted; first += PER_REQUEST) {
      const numbers = Array.from({ length: PER_REQUEST }, (_, i) => first + i);
      if (!(await post('logs', logsOf(numbers))) || !(await post('traces', spansOf(numbers)))) return;
      acknowledged.push({ number: first + PER_REQUEST - 1, at_ms: Date.now() });
      await pause(EVERY_MS);
    }
  };
  // The receiver is killed under it.
  send().catch(() => undefined);
  return { acknowledged, stop: () => ended.abort() };
}

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'killed' } }] };
const nowNanos = (): string => `${Date.now()}000000`;

const logsOf = (numbers: readonly number[]): unknown => ({
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        { logRecords: numbers.map((number) => ({ timeUnixNano: nowNanos(), body: { stringValue: `${number}` } })) },
      ],
    },
  ],
});

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

const spansOf = (numbers: readonly number[]): unknown => ({
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          spans: numbers.map((number) => ({
            traceId: hex(number, 32),
            spanId: hex(number, 16),
            name: 'step',
            kind: 2,
            startTimeUnixNano: nowNanos(),
            endTimeUnixNano: nowNanos(),
          })),
        },
      ],
    },
  ],
});
