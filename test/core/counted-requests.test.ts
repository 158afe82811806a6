import { expect, test } from 'vitest';
import { countedRequests, withCountedErrors } from '../../src/core/analysis/impact/counted-requests.ts';
import { emptyMeasurements } from '../../src/core/analysis/impact/measurement-table.ts';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { labelOutcome, readCounterName } from '../../src/model/telemetry/request-outcome.ts';
import { atSecond, recordedCase } from '../support/software-case.ts';

const MINUTES = 20;
interface Counter {
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly temporality?: 1 | 2;
  /** Requests of a minute. */
  readonly requests: (minute: number) => number;
}

const caseOf = (counters: readonly Counter[], gauges: Readonly<Record<string, number>> = {}) =>
  recordedCase(({ builder }) => {
    const entity = builder.entity('service', 'api');
    const series = (metric: string, kind: 'sum' | 'gauge', labels: object, temporality: 0 | 1 | 2) =>
      builder.series({
        metric,
        kind,
        entity,
        resource: -1,
        unit: '1',
        description: '',
        temporality,
        monotonic: kind === 'sum',
        attributes: JSON.stringify(labels),
      });
    for (const { metric, labels = {}, temporality = 2, requests } of counters) {
      const own = series(metric, 'sum', labels, temporality);
      let sum = 0;
      for (let minute = 0; minute <= MINUTES; minute++) {
        sum += requests(minute);
        const value = temporality === 1 ? requests(minute) : sum;
        builder.table('point').push({ series: own, start_ns: 0n, time_ns: atSecond(minute * 60), value });
      }
    }
    for (const [metric, value] of Object.entries(gauges)) {
      const own = series(metric, 'gauge', {}, 0);
      for (let minute = 0; minute <= MINUTES; minute++)
        builder.table('point').push({ series: own, start_ns: 0n, time_ns: atSecond(minute * 60), value });
    }
  });

/** Error rates at minutes 5 and 15, and where they come from. */
async function rates(counters: readonly Counter[], gauges?: Readonly<Record<string, number>>) {
  const measured = [...(await readMeasurements(createReader(await caseOf(counters, gauges)))).values()];
  return measured.map(({ from, time_ns, error_rate }) => [
    from,
    ...[5, 15].map((minute) => {
      const rate = error_rate[time_ns.indexOf(atSecond(minute * 60))]!;
      return Number.isNaN(rate) ? null : Number(rate.toFixed(2));
    }),
  ]);
}

/** Ten requests a minute at first, thirty from minute ten. */
const failing = (minute: number): number => (minute >= 10 ? 30 : 10);
const good = (): number => 90;
const known = [['counters', 10, 25]];

test.each<readonly [string, readonly Counter[]]>([
  [
    'words',
    [
      ['ok', good],
      ['error', failing],
    ].map(([status, requests]) => ({ metric: 'requests_total', labels: { status }, requests }) as Counter),
  ],
  [
    'codes of HTTP',
    [
      ['200', () => 60],
      ['404', () => 30],
      ['503', failing],
    ].map(
      ([code, requests]) => ({ metric: 'http_requests_total', labels: { code, method: 'GET' }, requests }) as Counter,
    ),
  ],
  [
    'classes of HTTP',
    [
      ['2xx', good],
      ['5xx', failing],
    ].map(
      ([status, requests]) =>
        ({ metric: 'http.server.requests', labels: { 'status.class': status }, requests }) as Counter,
    ),
  ],
  [
    'codes of gRPC',
    [
      ['OK', () => 60],
      ['NotFound', () => 30],
      ['Unavailable', failing],
    ].map(
      ([grpc_code, requests]) =>
        ({ metric: 'grpc_server_handled_total', labels: { grpc_code, grpc_method: 'Abort' }, requests }) as Counter,
    ),
  ],
  [
    'an exception',
    [
      ['None', good],
      ['TimeoutException', failing],
    ].map(
      ([exception, requests]) => ({ metric: 'http_server_requests_count', labels: { exception }, requests }) as Counter,
    ),
  ],
  [
    'names',
    [
      { metric: 'inference_request_success', requests: good },
      { metric: 'inference_request_failure', labels: { reason: 'BACKEND' }, requests: failing },
    ],
  ],
  [
    'a total and errors',
    [
      { metric: 'http_requests_total', requests: (minute) => 90 + failing(minute) },
      { metric: 'http_request_errors_total', requests: failing },
    ],
  ],
  [
    'a total and successes',
    [
      { metric: 'rpc_requests_total', requests: (minute) => 90 + failing(minute) },
      { metric: 'rpc_requests_succeeded_total', requests: good },
    ],
  ],
  [
    'reasons why requests ended',
    [
      ['stop', () => 60],
      ['abort', () => 30],
      ['error', failing],
    ].map(
      ([finished_reason, requests]) =>
        ({ metric: 'gen_ai.server.request.success', labels: { finished_reason }, requests }) as Counter,
    ),
  ],
  [
    'deltas',
    [
      ['true', good],
      ['false', failing],
    ].map(
      ([success, requests]) => ({ metric: 'predictions', labels: { success }, temporality: 1, requests }) as Counter,
    ),
  ],
])('error rate by %s', async (_, counters) => {
  expect(await rates(counters)).toEqual(known);
});

test('values that are not known are no requests', async () => {
  const odd: Counter = { metric: 'requests_total', labels: { status: 'purple' }, requests: () => 1000 };
  const labelled = [
    ['ok', good],
    ['error', failing],
  ].map(([status, requests]) => ({ metric: 'requests_total', labels: { status }, requests }) as Counter);
  expect(await rates([odd, ...labelled])).toEqual(known);
  expect(await rates([odd])).toEqual([]);
});

test('of several counters of a service the most counted is taken, not their sum', async () => {
  const grpc = [
    ['OK', good],
    ['Internal', failing],
  ].map(
    ([grpc_code, requests]) => ({ metric: 'grpc_server_handled_total', labels: { grpc_code }, requests }) as Counter,
  );
  const inner = [
    ['ok', () => 1],
    ['error', () => 1],
  ].map(([status, requests]) => ({ metric: 'inner_calls_total', labels: { status }, requests }) as Counter);
  expect(await rates([...inner, ...grpc])).toEqual(known);
});

test('counters complete the gauges of a service, and contradict no error rate', async () => {
  const counters: Counter[] = [
    { metric: 'request_success', requests: good },
    { metric: 'request_failure', requests: failing },
  ];
  expect(await rates(counters, { 'service.latency.p99': 120 })).toEqual([['gauges', 10, 25]]);
  expect(await rates(counters, { 'service.error_rate': 3 })).toEqual([['gauges', 3, 3]]);
});

test.each<readonly [string, readonly Counter[]]>([
  ['only successes', [{ metric: 'request_success_total', requests: good }]],
  ['only a total', [{ metric: 'requests_total', requests: good }]],
  ['only failures', [{ metric: 'request_failure_total', requests: failing }]],
  [
    'requests to others',
    [
      ['ok', good],
      ['error', failing],
    ].map(([status, requests]) => ({ metric: 'http_client_requests_total', labels: { status }, requests }) as Counter),
  ],
  [
    'requests that a proxy reports for the caller',
    [
      ['200', good],
      ['500', failing],
    ].map(
      ([response_code, requests]) =>
        ({ metric: 'istio_requests_total', labels: { response_code, reporter: 'source' }, requests }) as Counter,
    ),
  ],
  [
    'other counters',
    [
      ['ok', good],
      ['error', failing],
    ].map(([status, requests]) => ({ metric: 'jobs_total', labels: { status }, requests }) as Counter),
  ],
])('unknown: %s', async (_, counters) => {
  expect(await countedRequests(createReader(await caseOf(counters)))).toEqual([]);
});

test('a single measurement gets the error rate of its time', () => {
  const counted = emptyMeasurements(1, 'counters', [atSecond(60)]);
  counted.requests[0] = 40;
  counted.error_rate[0] = 25;
  const measured = withCountedErrors(emptyMeasurements(1, 'gauges', [atSecond(70)]), counted);
  expect([...measured.error_rate]).toEqual([25]);
});

test('outcomes by labels and names', () => {
  const failed = [
    ['status', 'error'],
    ['code', '500'],
    ['http.response.status_code', '503'],
    ['rpc.grpc.status_code', '14'],
    ['rpc.response.status_code', 'DEADLINE_EXCEEDED'],
    ['outcome', 'SERVER_ERROR'],
    ['error.type', 'TimeoutError'],
    ['success', 'false'],
    ['envoy_response_code_class', '5'],
    ['result', 'timed-out'],
  ] as const;
  const passed = [
    ['status', 'OK'],
    ['code', '404'],
    ['rpc.grpc.status_code', '5'],
    ['outcome', 'CLIENT_ERROR'],
    ['error', 'false'],
    ['finish_reason', 'length'],
    ['grpc_code', 'Canceled'],
  ] as const;
  const unknown = [
    ['status', 'purple'],
    ['code', '7'],
    ['method', 'error'],
    ['handler', '/ok'],
    ['grpc_method', 'Complete'],
    ['state', 'ok'],
  ] as const;
  expect(failed.filter(([key, value]) => labelOutcome(key, value) !== 'failed')).toEqual([]);
  expect(passed.filter(([key, value]) => labelOutcome(key, value) !== 'passed')).toEqual([]);
  expect(unknown.filter(([key, value]) => labelOutcome(key, value) !== undefined)).toEqual([]);
  expect(readCounterName('http_requests_failed_total')).toEqual({ stem: 'http request', outcome: 'failed' });
  expect(readCounterName('nv_inference_request_success')).toEqual({ stem: 'nv inference request', outcome: 'passed' });
  expect(readCounterName('http_client_requests_total')).toBeUndefined();
});
