import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedCondition } from '../../src/main/archives/clickhouse/condition.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { nanosOf, ofKind, pulled, pullingCore } from '../support/archive-pull.ts';
import { sqlRows } from '../support/capture-run.ts';
import { clickhouse, hasClickHouse, run } from '../support/clickhouse.ts';

const from_ns = nanosOf('2026-05-01T14:00:00Z');
const until_ns = nanosOf('2026-05-01T14:10:00Z');
const map = 'Map(LowCardinality(String), String)';
/** Ten rows in the window, ten after it; and a table that nobody asked for. */
const tables = [
  `CREATE TABLE otel_logs (Timestamp DateTime64(9), TimestampTime DateTime DEFAULT toDateTime(Timestamp), TraceId String, SpanId String,
    TraceFlags UInt8, SeverityText LowCardinality(String), SeverityNumber UInt8, ServiceName LowCardinality(String), Body String,
    ResourceAttributes ${map}, ScopeName String, ScopeVersion String, LogAttributes ${map}) ENGINE = MergeTree ORDER BY Timestamp`,
  `INSERT INTO otel_logs SELECT fromUnixTimestamp64Nano(toInt64(${from_ns}) + toInt64(number) * 60000000000, 'UTC'), now(), '', '', 0, 'INFO', 9,
    if(number % 2 = 0, 'web', 'db'), concat('line ', toString(number), ' -- it''s; SELECT'), map('service.name', 'web'), '', '',
    map('size', toString(number), 'quote', 'a ) or ( b') FROM numbers(20)`,
  'CREATE TABLE secrets (name String) ENGINE = MergeTree ORDER BY name',
  "INSERT INTO secrets VALUES ('web')",
];

/** Conditions, and how many of the ten rows they keep. */
const honest: readonly (readonly [condition: string, rows: number])[] = [
  ["ServiceName = 'web'", 5],
  ["ServiceName IN ('web', 'other') AND SeverityNumber >= 9", 5],
  ["ServiceName NOT IN ['web']", 5],
  ["(ServiceName = 'web' OR (ServiceName = 'db')) AND NOT (SeverityNumber IN (1, -2, 17))", 10],
  ["ResourceAttributes['service.name'] = 'web'", 10],
  ["mapContains(LogAttributes, 'size') and toInt64OrZero(LogAttributes['size']) between 2 and 4", 3],
  ["Body like '%-- it''s; SELECT%' and LogAttributes['quote'] = 'a ) or ( b'", 10],
  [String.raw`Body != 'it\'s /* no comment */ # nor this'`, 10],
  ["arrayExists(k -> k = 'size', mapKeys(LogAttributes))", 10],
  ["lower(`ServiceName`) = 'db' and length(Body) > 3 - -1", 5],
  ["match(Body, '^line [0-3] ')", 4],
  ["Timestamp::DateTime64(9) >= toDateTime64('2026-05-01 14:05:00', 9, 'UTC')", 5],
  ["case when ServiceName = 'web' then 1 else 0 end = 1", 5],
  ["Body != '‘’“”; UNION SELECT'", 10],
  ["hasToken(Body, 'line') and startsWith(Body, 'line 1')", 1],
];

const hostile = [
  '1) OR (1',
  '1 OR 1) OR (1 = 1',
  '1) --',
  '1 -- everything',
  '1 /* everything',
  '1 /* a */ AND 1',
  '1 # everything',
  '1; DROP TABLE otel_logs',
  '1;',
  'ServiceName IN (SELECT name FROM secrets)',
  'ServiceName IN secrets',
  'ServiceName IN (secrets)',
  'ServiceName IN `secrets`',
  'ServiceName in default.secrets',
  'ServiceName GLOBAL IN secrets',
  "ServiceName IN file('/etc/passwd', 'LineAsString')",
  'in(ServiceName, secrets)',
  'notIn(ServiceName, secrets)',
  'exists(SELECT 1 FROM secrets)',
  '(SELECT count() FROM system.tables) > 0',
  '1) UNION ALL SELECT * FROM system.users WHERE (1',
  "1) UNION ALL SELECT * FROM url('http://127.0.0.1:1/', 'CSV') WHERE (1",
  "file('/etc/passwd') != ''",
  "url('http://127.0.0.1:1/') = ''",
  "dictGet('d', 'a', 1) = 1",
  "joinGet('secrets', 'name', 1) = ''",
  "hasColumnInTable('default', 'secrets', 'name')",
  'sleepEachRow(3) = 0',
  '`sleepEachRow`(3) = 0',
  '"sleep"(3) = 0',
  "getSetting('max_threads') > 0",
  'currentUser() != 0',
  '1 SETTINGS readonly = 0',
  '1) SETTINGS max_execution_time = 0, additional_table_filters = (',
  '1 FORMAT CSV',
  "1 INTO OUTFILE '/tmp/x'",
  'count() OVER () > 0',
  "COLUMNS('.*') = 1",
  "ServiceName = 'web",
  'ServiceName = "web',
  "ServiceName = 'web\\'",
  'ServiceName = ‘web’',
  'ServiceName = “web”',
  'SeverityNumber − 1 = 8',
  'ServiceName = $$web$$',
  'ServiceName = {name:String}',
  "ServiceName = 'web'\0) OR (1",
  "ServiceName = 'w\0eb'",
  '(1',
  '1]',
  '',
  '   ',
  `1 = 1${' OR 1 = 1'.repeat(2000)}`,
  `${'('.repeat(60)}1${')'.repeat(60)}`,
];

const codeOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problem.code;
  }
};

test.each(hostile)('refused before anything is asked: %j', (condition) => {
  expect(codeOf(() => checkedCondition(condition))).toBe('archive.condition');
});

test('whatever passes closes only parentheses that it opened, outside of texts', () => {
  const bits = [
    "'",
    '"',
    '`',
    '\\',
    '(',
    ')',
    '[',
    ']',
    '-',
    '/*',
    '*/',
    '#',
    ';',
    ' ',
    'a',
    '1',
    ',',
    '=',
    'IN',
    'or',
    "''",
    'lower',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...bits), { maxLength: 14 }).map((each) => each.join('')),
      (text) => {
        if (codeOf(() => checkedCondition(text)) !== null) return;
        const plain = text.replaceAll(/'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*"/gs, 'x');
        expect(plain).not.toMatch(/--|\/\*|['"`;#]/);
        let open = 0;
        for (const character of plain) {
          if (character === '(') open++;
          if (character === ')') open--;
          expect(open).toBeGreaterThanOrEqual(0);
        }
        expect(open).toBe(0);
      },
    ),
    { numRuns: 20_000 },
  );
});

test.skipIf(!hasClickHouse())(
  'in a real ClickHouse a condition keeps rows of its own table and time, and no others',
  async () => {
    const url = await clickhouse();
    for (const sql of tables) await run(url, sql);
    // What the server itself would answer to some of those refused: rows outside of the time, and by another table.
    const unchecked = async (condition: string): Promise<number> => {
      const inTime = `Timestamp < fromUnixTimestamp64Nano(${until_ns}, 'UTC')`;
      const text = await run(url, `SELECT count() AS n FROM otel_logs WHERE ${inTime} AND (${condition}) FORMAT JSON`);
      return Number((JSON.parse(text) as { data: { n: string }[] }).data[0]!.n);
    };
    expect(await unchecked('1) OR (1')).toBe(20);
    expect(await unchecked('ServiceName IN secrets')).toBe(5);

    const plan = `kind: clickhouse\nurl: ${url}\nrequests_per_s: 1000\ntraces: null\nmetrics: []\n`;
    for (const [where, rows] of honest) {
      const core = await pullingCore();
      const events = await pulled(core, { plan, from_ns, until_ns, where });
      expect([where, ofKind(events, 'problem')]).toEqual([where, []]);
      const first = 'select count(*)::integer, count(*) filter (time_ns >= $until)::integer from logs';
      expect([where, await sqlRows(core, first.replace('$until', String(until_ns)))]).toEqual([where, [[rows, 0]]]);
    }
    const core = await pullingCore();
    await expect(pulled(core, { plan, from_ns, until_ns, where: '1) OR (1' })).rejects.toThrow(/condition is refused/);
    await expect(
      core.api['fleet.logs']({ plan, from_ns, until_ns, before_s: 60, where: 'ServiceName IN secrets' }),
    ).rejects.toThrow(/IN is followed by something else than values/);
  },
);
