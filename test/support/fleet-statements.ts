/** 2026-05-01T14:00:00Z. */
export const FLEET_FROM_NS = 1_777_644_000_000_000_000n;
export const FLEET_SECONDS = 3600;
const PER_S = 4;

const TABLE =
  'fleet.otel_traces (Timestamp, TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, ResourceAttributes, SpanAttributes, Duration, StatusCode, StatusMessage)';

/** A value from 0 to 1 by which the requests differ. */
const chance = (seed: number): string => `((cityHash64(number, ${seed}) % 100000) / 100000)`;
const minute = `intDiv(number, ${60 * PER_S})`;
const at = (delay_ms: number): string =>
  `fromUnixTimestamp64Nano(toInt64(${FLEET_FROM_NS}) + toInt64(number * ${1e9 / PER_S} + ${chance(9)} * 1e8) + ${delay_ms * 1e6}, 'UTC')`;
const half = (number: string): string => `leftPad(lower(hex(toUInt64(${number}))), 16, '0')`;
/** As the exporter writes it. */
const traceId = `concat(${half('cityHash64(number, 77)')}, ${half('number + 1')})`;
const span = (level: number): string => half(`number * 8 + ${level} + 1`);

interface Level {
  readonly level: number;
  readonly parent: number | null;
  readonly name: string;
  readonly kind: string;
  readonly service: string;
  readonly attributes: string;
  readonly ms: string;
  readonly failed?: string;
}

/**
 * A gateway that calls a model server, which asks a cache; `auth` stands alone. Most requests for one model are slow in minutes 45 to 49, the model server in 25
 * to 29, and `auth` fails in 12 to 15.
 */
const levels: readonly Level[] = [
  {
    level: 0,
    parent: null,
    name: "'GET /v1'",
    kind: 'Server',
    service: 'gateway',
    attributes: "map('http.route', '/v1', 'n', toString(number % 7))",
    ms: `60 + 20 * ${chance(1)} + if(${minute} between 25 and 29, 300, 0)`,
  },
  {
    level: 1,
    parent: 0,
    name: "'POST llm'",
    kind: 'Client',
    service: 'gateway',
    attributes: "map('peer', 'llm')",
    ms: `50 + 20 * ${chance(2)} + if(${minute} between 25 and 29, 300, 0)`,
  },
  {
    level: 2,
    parent: 1,
    name: "'generate'",
    kind: 'SPAN_KIND_SERVER',
    service: 'llm',
    attributes:
      "map('gen_ai.request.model', if(number % 4 = 0, 'large', 'small'), 'cached', if(number % 3 = 0, 'true', 'false'))",
    ms: `40 + 10 * ${chance(3)} + multiIf(${minute} between 25 and 29, 300, ${minute} between 45 and 49 and number % 4 = 0, 400, 0)`,
  },
  {
    level: 3,
    parent: 2,
    name: "concat('get ', toString(number % 3))",
    kind: 'Internal',
    service: 'llm',
    attributes: 'map()',
    ms: `2 + ${chance(4)}`,
  },
  {
    level: 4,
    parent: 2,
    name: "'put'",
    kind: 'Internal',
    service: 'llm',
    attributes: "map('quote', 'it\\'s \\\\ 5')",
    ms: `3 + ${chance(5)}`,
  },
  {
    level: 5,
    parent: null,
    name: "'check'",
    kind: 'Server',
    service: 'auth',
    attributes: 'map()',
    ms: `5 + ${chance(6)}`,
    failed: `${minute} between 12 and 15 and ${chance(7)} < 0.4`,
  },
];

function insertLevel({ level, parent, name, kind, service, attributes, ms, failed = 'false' }: Level): string {
  const id = service === 'auth' ? `leftPad(lower(hex(toUInt64(number + 1))), 32, 'a')` : traceId;
  return `INSERT INTO ${TABLE} SELECT ${at(level)}, ${id}, ${span(level)}, ${parent === null ? "''" : span(parent)}, ${name}, '${kind}', '${service}',
    map('service.name', '${service}', 'region', if(number % 2 = 0, 'eu', 'us')), ${attributes}, toUInt64((${ms}) * 1e6),
    if(${failed}, 'Error', 'Unset'), if(${failed}, 'denied', '') FROM numbers(${FLEET_SECONDS * PER_S})`;
}

const logBodies = [
  {
    service: 'gateway',
    body: `concat('request ', toString(number), ' of user ', toString(number % 5), ' took ', toString(number % 90), ' ms')`,
  },
  {
    service: 'gateway',
    body: `if(${minute} between 25 and 29, concat('queue is full: ', toString(number % 100), ' wait'), concat('queue has ', toString(number % 3)))`,
  },
  {
    service: 'llm',
    body: `if(${minute} between 26 and 28 and number % 4 = 0, concat('cuda error on gpu ', toString(number % 8)), 'heartbeat')`,
  },
];

const insertLogs = logBodies.map(
  ({ service, body }, i) =>
    `INSERT INTO fleet.otel_logs (Timestamp, SeverityNumber, ServiceName, ResourceAttributes, Body)
     SELECT ${at(i)}, if(startsWith(body, 'cuda'), 17, 9), '${service}', map('service.name', '${service}'), body
     FROM (SELECT number, ${body} AS body FROM numbers(${FLEET_SECONDS * PER_S}))`,
);

/** Options of `archive init` for the tables that the rows go to: none of them is dropped by its age. */
export const fleetSchemaOptions = ['--database', 'fleet', '--days', '3650', '--important-days', '3650', '--json'];

/** Statements that fill the tables with an hour of a fleet. */
export const fleetRowStatements: readonly string[] = [...levels.map(insertLevel), ...insertLogs];

/** The plan of an archive with them. */
export const fleetPlan = (url: string): string =>
  `kind: clickhouse\nurl: ${url}\ndatabase: fleet\nrequests_per_s: 1000\nmetrics: []\n`;
