import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { nanosOf, ofKind, pulled, pullingCore, TestArchive } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { clickhouse, hasClickHouse, run } from '../support/clickhouse.ts';
import { faultlineHere } from '../support/command-line-here.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T15:00:00Z');

const attributes = 'Map(LowCardinality(String), String)';
const resource = `ResourceAttributes ${attributes}, ScopeName String, ScopeVersion String`;
/** Columns and types as the exporter makes them (0.100 and later), as far as they hold values. */
const schemas = [
  `CREATE TABLE otel_traces (Timestamp DateTime64(9), TraceId String, SpanId String, ParentSpanId String, TraceState String,
    SpanName LowCardinality(String), SpanKind LowCardinality(String), ServiceName LowCardinality(String), ${resource},
    SpanAttributes ${attributes}, Duration UInt64, StatusCode LowCardinality(String), StatusMessage String,
    Events Nested(Timestamp DateTime64(9), Name LowCardinality(String), Attributes ${attributes}),
    Links Nested(TraceId String, SpanId String, TraceState String, Attributes ${attributes})
  ) ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))`,
  `CREATE TABLE otel_logs (Timestamp DateTime64(9), TimestampTime DateTime DEFAULT toDateTime(Timestamp), TraceId String, SpanId String,
    TraceFlags UInt8, SeverityText LowCardinality(String), SeverityNumber UInt8, ServiceName LowCardinality(String), Body String, ${resource},
    LogAttributes ${attributes}) ENGINE = MergeTree PARTITION BY toDate(TimestampTime) ORDER BY (ServiceName, TimestampTime, Timestamp)`,
  `CREATE TABLE otel_metrics_gauge (${resource}, ServiceName LowCardinality(String), MetricName String, MetricDescription String,
    MetricUnit String, Attributes ${attributes}, StartTimeUnix DateTime64(9), TimeUnix DateTime64(9), Value Float64, Flags UInt32
  ) ENGINE = MergeTree PARTITION BY toDate(TimeUnix) ORDER BY (ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))`,
  `CREATE TABLE otel_metrics_histogram (${resource}, ServiceName LowCardinality(String), MetricName String, MetricDescription String,
    MetricUnit String, Attributes ${attributes}, StartTimeUnix DateTime64(9), TimeUnix DateTime64(9), Count UInt64, Sum Float64,
    BucketCounts Array(UInt64), ExplicitBounds Array(Float64), Flags UInt32, Min Float64, Max Float64, AggregationTemporality Int32
  ) ENGINE = MergeTree PARTITION BY toDate(TimeUnix) ORDER BY (ServiceName, MetricName, Attributes, toUnixTimestamp64Nano(TimeUnix))`,
];
/** One row a second, from ten minutes before the window until ten minutes after it. */
const from = "FROM numbers(4800) SETTINGS session_timezone = 'UTC'";
const at = "fromUnixTimestamp64Nano(toInt64(1777644000000000000) + (toInt64(number) - 600) * 1000000000, 'UTC')";
const service = "if(number % 2 = 0, 'gateway', 'llm')";
const host = `map('host.name', 'node-1', 'service.name', ${service})`;
const contents = [
  `INSERT INTO otel_traces SELECT ${at}, lower(hex(toUInt128(number + 1))), lower(hex(toUInt64(number + 1))), '', '', 'generate', 'Server',
    ${service}, ${host}, 'demo', '1.0', map('http.route', '/v1'), 31000000, if(number % 10 = 0, 'Error', 'Unset'), '',
    [${at}], ['first token'], [map('n', '1')], [], [], [], [] ${from}`,
  `INSERT INTO otel_logs SELECT ${at}, toDateTime(${at}), '', '', 0, 'INFO', 9, ${service}, concat('line ', toString(number)), ${host},
    'demo', '1.0', map('k', 'v') ${from}`,
  `INSERT INTO otel_metrics_gauge SELECT ${host}, 'demo', '1.0', ${service}, 'queue.depth', '', '1', map(), ${at}, ${at}, number, 0 ${from}`,
  `INSERT INTO otel_metrics_histogram SELECT ${host}, 'demo', '1.0', ${service}, 'took', '', 's', map(), ${at}, ${at}, 3, 1.5, [1, 2], [0.5], 0, 0.1, 1, 2
    ${from}`,
];

test.skipIf(!hasClickHouse())(
  'the tables of the OpenTelemetry exporter in a real ClickHouse: each row of the window once',
  async () => {
    const url = await clickhouse();
    for (const sql of [...schemas, ...contents]) await run(url, sql);
    const core = await pullingCore();
    const plan = `kind: clickhouse\nurl: ${url}\nrequests_per_s: 1000\nslice_s: 1800\n`;
    const events = await pulled(core, { plan, from_ns, until_ns });
    expect(ofKind(events, 'problem')).toEqual([]);
    const rows = { rows: 3600, slices: 2 };
    expect(ofKind(events, 'plan')[0]?.queries).toMatchObject([
      { query: 'default.otel_traces', ...rows },
      { query: 'default.otel_logs', ...rows },
      { query: 'default.otel_metrics_gauge', ...rows },
      { query: 'default.otel_metrics_histogram', ...rows },
    ]);
    const extent = (view: string, time: string) => `select count(*)::integer, min(${time}), max(${time}) from ${view}`;
    const whole = [[3600, String(from_ns), String(until_ns - 1_000_000_000n)]];
    expect(await sqlRows(core, extent('spans', 'start_ns'))).toEqual(whole);
    expect(await sqlRows(core, extent('logs', 'time_ns'))).toEqual(whole);
    expect(await sqlRows(core, extent("metrics where metric = 'queue.depth'", 'time_ns'))).toEqual(whole);
    expect(await sqlRows(core, 'select count(*)::integer, sum(count)::integer from distribution')).toEqual([
      [3600, 10_800],
    ]);
    expect(await sqlRows(core, 'select count(*)::integer, min(time_ns), max(time_ns) from span_event')).toEqual(whole);
    expect(
      await sqlRows(core, 'select service, count(*)::integer, min(duration_ms) from spans group by all order by all'),
    ).toEqual([
      ['gateway', 1800, 31],
      ['llm', 1800, 31],
    ]);

    const other = await pullingCore();
    const some = { services: ['llm'], where: "SpanAttributes['http.route'] = '/v1'" };
    await pulled(other, { plan: `${plan}logs: null\nmetrics: []\n`, from_ns, until_ns, ...some });
    expect(await sqlRows(other, 'select service, count(*)::integer from spans group by all')).toEqual([['llm', 1800]]);
  },
);

test.skipIf(!hasClickHouse())(
  'archive init: a real ClickHouse takes the tables, keeps errors and warnings longer, and is pulled from',
  async () => {
    const url = await clickhouse();
    const printed = await faultlineHere(
      'archive',
      'init',
      'clickhouse',
      '--database',
      'fleet',
      '--days',
      '2',
      '--json',
    );
    expect(printed.code).toBe(0);
    const { statements, collector } = JSON.parse(printed.out) as { statements: string[]; collector: string };
    expect(statements).toHaveLength(12);
    // The same ones again change nothing.
    for (const sql of [...statements, ...statements]) await run(url, sql);
    const stored = "map('service.name', 'llm'), 'llm'";
    const ago = (days: number) => `now64(9) - toIntervalDay(${days})`;
    for (const [status, days] of [
      ['Unset', 3],
      ['Error', 3],
      ['Error', 31],
      ['Unset', 1],
    ] as const) {
      const id = `${days}${status.length}`;
      await run(
        url,
        `INSERT INTO fleet.otel_traces (Timestamp, TraceId, SpanId, SpanName, SpanKind, ResourceAttributes, ServiceName, Duration, StatusCode, \`Events.Timestamp\`, \`Events.Name\`, \`Events.Attributes\`)
        SELECT ${ago(days)}, '${id.padStart(32, '0')}', '${id.padStart(16, '0')}', 'generate', 'Server', ${stored}, 31000000, '${status}', [${ago(days)}], ['first token'], [map('n', '1')]`,
      );
    }
    for (const severity of [9, 17])
      await run(
        url,
        `INSERT INTO fleet.otel_logs (Timestamp, SeverityNumber, Body, ResourceAttributes, ServiceName, EventName) SELECT ${ago(3)}, ${severity}, 'line', ${stored}, ''`,
      );
    for (const table of ['otel_traces', 'otel_logs']) await run(url, `OPTIMIZE TABLE fleet.${table} FINAL`);
    const answer = await fetch(url, { method: 'POST', body: 'SELECT count() AS n FROM fleet.otel_traces FORMAT JSON' });
    expect(((await answer.json()) as { data: { n: number }[] }).data).toEqual([{ n: 2 }]);
    const core = await pullingCore();
    const until = BigInt(Date.now()) * 1_000_000n;
    const plan = `kind: clickhouse\nurl: ${url}\ndatabase: fleet\nslice_s: 86400\nlag_s: 0\nrequests_per_s: 1000\n`;
    const input = { plan, from_ns: until - 4n * 86_400_000_000_000n, until_ns: until };
    const [planned] = ofKind(await pulled(core, { ...input, only_plan: true }), 'plan');
    // Of seven tables, those that have rows in this time.
    expect(planned?.queries.map(({ query }) => query.split('.').at(-1)).sort()).toEqual(['otel_logs', 'otel_traces']);
    const events = await pulled(core, { ...input, plan: `${plan}metrics: []\n` });
    expect(ofKind(events, 'problem')).toEqual([]);
    expect(await sqlRows(core, 'select status, count(*)::integer from spans group by 1 order by 1')).toEqual([
      ['error', 1],
      ['unset', 1],
    ]);
    expect(await sqlRows(core, 'select severity, count(*)::integer from logs group by 1')).toEqual([[17, 1]]);
    const config = load(collector) as { exporters: { clickhouse: { database: string; create_schema: boolean } } };
    expect(config.exporters.clickhouse).toMatchObject({ database: 'fleet', create_schema: false });
    expect((await faultlineHere('archive', 'init', 'oracle')).err).toContain('no tables for "oracle"');
  },
);

test('a limit of the server cuts a slice; an answer without its end is asked for again', async () => {
  const refused: string[] = [];
  const archive = await new TestArchive((request, response) => {
    let sql = '';
    request.on('data', (chunk) => (sql += chunk));
    request.on('end', () => {
      if (sql.includes('system.tables')) response.end('{"data":[{"name":"otel_logs"}]}');
      else if (sql.includes('FORMAT JSON')) response.end('{"data":[{"rows":"10","bytes":"1000"}]}');
      else if (refused.push(sql) <= 3)
        response.writeHead(500).end('Code: 241. DB::Exception: Memory limit (for query) exceeded');
      else response.end('PAR1 and no end');
    });
  }).begin();
  const core = await pullingCore();
  const plan = `kind: clickhouse\nurl: ${archive.url}\nrequests_per_s: 1000\nattempts: 2\nparallel: 1\n`;
  const events = await pulled(core, { plan, from_ns, until_ns });
  expect(ofKind(events, 'done')).toMatchObject([{ pulled: 0, failed: 4, left: 0 }]);
  expect(ofKind(events, 'problem')[0]?.problem.message).toContain('its answer is not whole, after 2 attempts');
});
