import { describe, expect, test } from 'vitest';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import { countsOf, readJson, readRows, reasonsOf } from '../support/otlp-rows.ts';
import { attribute, type Field, message, packed, request } from '../support/otlp-wire.ts';

const NOW = '1700000000123456789';
const string = (key: string, value: string) => ({ key, value: { stringValue: value } });
const spansOf = (spans: object[], resource: object[] = []) => ({
  resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { name: 'scope' }, spans }] }],
});
const logsOf = (logRecords: object[], resource: object[] = []) => ({
  resourceLogs: [{ resource: { attributes: resource }, scopeLogs: [{ scope: { name: 'scope' }, logRecords }] }],
});
const metricsOf = (metrics: object[], resource: object[] = []) => ({
  resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics: [{ metrics }] }],
});
const ids = { traceId: '5B8EFFF798038103D269B633813FC60C', spanId: 'EEE19B7EC3C1B174' };
const seriesOf = (row: Readonly<Record<string, unknown>> | undefined) => JSON.parse(String(row?.series));
const only = <T>(list: readonly T[]): T => {
  expect(list.length).toBe(1);
  return list[0] as T;
};

/** One span with everything, as JSON and on the wire. */
const fullJson = spansOf([
  {
    ...ids,
    parentSpanId: 'eee19b7ec3c1b173',
    traceState: 'a=1,b=2',
    flags: 769,
    name: 'GET /ä',
    kind: 2,
    startTimeUnixNano: NOW,
    endTimeUnixNano: '1700000000223456789',
    droppedAttributesCount: 1,
    droppedEventsCount: 2,
    droppedLinksCount: 3,
    attributes: [
      { key: 'text', value: { stringValue: 'quote " slash \\ tab \t é 漢 😀 \u0001' } },
      { key: 'yes', value: { boolValue: true } },
      { key: 'no', value: { boolValue: false } },
      { key: 'int', value: { intValue: '-9223372036854775808' } },
      { key: 'big', value: { intValue: '9223372036854775807' } },
      { key: 'zero', value: { intValue: 0 } },
      { key: 'double', value: { doubleValue: 0.1 } },
      { key: 'nan', value: { doubleValue: 'NaN' } },
      { key: 'inf', value: { doubleValue: '-Infinity' } },
      { key: 'bytes', value: { bytesValue: '+/8A' } },
      { key: 'empty', value: {} },
      { key: 'none' },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '1' }, {}] } } },
      { key: 'map', value: { kvlistValue: { values: [{ key: 'x', value: { kvlistValue: { values: [] } } }] } } },
      { key: 'void', value: { arrayValue: {} } },
    ],
    events: [{ timeUnixNano: NOW, name: 'exception', attributes: [string('type', 'X')], droppedAttributesCount: 4 }],
    links: [
      {
        traceId: '00000000000000000000000000000001',
        spanId: '0000000000000002',
        traceState: 'c=3',
        attributes: [string('k', 'v')],
        flags: 256,
        droppedAttributesCount: 5,
      },
    ],
    status: { code: 2, message: 'böse' },
  },
]);

const any = (value: readonly Field[]): Field => [2, value];
const fullWire = request([
  [
    [1, Buffer.from(ids.traceId, 'hex')],
    [2, Buffer.from(ids.spanId, 'hex')],
    [4, Buffer.from('eee19b7ec3c1b173', 'hex')],
    [3, 'a=1,b=2'],
    [16, 769, 'fixed32'],
    [5, 'GET /ä'],
    [6, 2],
    [7, BigInt(NOW), 'fixed64'],
    [8, 1700000000223456789n, 'fixed64'],
    [10, 1],
    [12, 2],
    [14, 3],
    [9, [[1, 'text'], any([[1, 'quote " slash \\ tab \t é 漢 😀 \u0001']])]],
    [9, [[1, 'yes'], any([[2, 1]])]],
    [9, [[1, 'no'], any([[2, 0]])]],
    [9, [[1, 'int'], any([[3, -(2n ** 63n)]])]],
    [9, [[1, 'big'], any([[3, 2n ** 63n - 1n]])]],
    [9, [[1, 'zero'], any([[3, 0]])]],
    [9, [[1, 'double'], any([[4, 0.1, 'double']])]],
    [9, [[1, 'nan'], any([[4, Number.NaN, 'double']])]],
    [9, [[1, 'inf'], any([[4, Number.NEGATIVE_INFINITY, 'double']])]],
    [9, [[1, 'bytes'], any([[7, Buffer.from([0xfb, 0xff, 0])]])]],
    [9, [[1, 'empty'], any([])]],
    [9, [[1, 'none']]],
    [
      9,
      [
        [1, 'list'],
        any([
          [
            5,
            [
              [1, [[1, 'a']]],
              [1, [[3, 1]]],
              [1, []],
            ],
          ],
        ]),
      ],
    ],
    [9, [[1, 'map'], any([[6, [[1, [[1, 'x'], any([[6, []]])]]]]])]],
    [9, [[1, 'void'], any([[5, []]])]],
    [
      11,
      [
        [1, BigInt(NOW), 'fixed64'],
        [2, 'exception'],
        [3, attribute('type', 'X')],
        [4, 4],
      ],
    ],
    [
      13,
      [
        [1, Buffer.from('00000000000000000000000000000001', 'hex')],
        [2, Buffer.from('0000000000000002', 'hex')],
        [3, 'c=3'],
        [4, attribute('k', 'v')],
        [5, 5],
        [6, 256, 'fixed32'],
      ],
    ],
    [
      15,
      [
        [2, 'böse'],
        [3, 2],
      ],
    ],
  ],
]);

test('a span with everything reads the same from JSON and from the wire', async () => {
  const [json, wire] = [await readJson(fullJson), await readRows(otlpProtobuf, fullWire)];
  expect(json.rows).toEqual(wire.rows);
  const span = only(json.rows.span);
  expect(span).toMatchObject({
    trace_hi: 0x5b8efff798038103n,
    trace_lo: 0xd269b633813fc60cn,
    span_id: 0xeee19b7ec3c1b174n,
    parent_id: 0xeee19b7ec3c1b173n,
    start_ns: BigInt(NOW),
    end_ns: 1700000000223456789n,
    name: 'GET /ä',
    kind: 2,
    status: 2,
    flags: 769,
    trace_state: 'a=1,b=2',
    status_message: 'böse',
    dropped: 6,
    scope: 'scope',
    service: '',
  });
  expect(span.attributes).toBe(
    '{"text":"quote \\" slash \\\\ tab \\t é 漢 😀 \\u0001","yes":true,"no":false,"int":-9223372036854775808,"big":9223372036854775807,"zero":0,' +
      '"double":0.1,"nan":"NaN","inf":"-Infinity","bytes":"+/8A","empty":null,"none":null,"list":["a",1,null],"map":{"x":{}},"void":[]}',
  );
  expect(only(json.rows.span_event)).toMatchObject({
    trace_hi: span.trace_hi,
    span_id: span.span_id,
    time_ns: BigInt(NOW),
    name: 'exception',
    attributes: '{"type":"X","otel.dropped_attributes_count":4}',
  });
  expect(only(json.rows.span_link)).toMatchObject({
    trace_lo: span.trace_lo,
    linked_trace_hi: 0n,
    linked_trace_lo: 1n,
    linked_span_id: 2n,
    trace_state: 'c=3',
    attributes: '{"k":"v","otel.dropped_attributes_count":5,"otel.link.flags":256}',
  });
});

test('fields in any order, white space anywhere, unknown fields, escapes', async () => {
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries([
            ['unknown', { deep: [{}] }],
            ...Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, reversed(inner)]),
          ])
        : value;
  const expected = (await readJson(fullJson)).rows;
  expect((await readJson(reversed(fullJson))).rows).toEqual(expected);
  expect((await readJson(JSON.stringify(fullJson, null, '\t'))).rows).toEqual(expected);
  const escapeAll = (text: string) =>
    `"${[...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  const escaped = JSON.stringify(fullJson).replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => escapeAll(JSON.parse(quoted)));
  expect(JSON.parse(escaped)).toEqual(fullJson);
  expect((await readJson(escaped)).rows).toEqual(expected);
});

test('snake case, enumeration names and base64 ids', async () => {
  const camel = await readJson(
    spansOf(
      [{ ...ids, name: 'n', kind: 3, startTimeUnixNano: '5', endTimeUnixNano: '6', status: { code: 2 } }],
      [string('service.name', 's')],
    ),
  );
  const tempo = await readJson({
    batches: [
      {
        resource: { attributes: [string('service.name', 's')] },
        instrumentationLibrarySpans: [
          {
            instrumentationLibrary: { name: 'scope' },
            spans: [
              {
                traceId: Buffer.from(ids.traceId, 'hex').toString('base64'),
                spanId: Buffer.from(ids.spanId, 'hex').toString('base64'),
                name: 'n',
                kind: 'SPAN_KIND_CLIENT',
                startTimeUnixNano: '5',
                endTimeUnixNano: '6',
                status: { code: 'STATUS_CODE_ERROR' },
              },
            ],
          },
        ],
      },
    ],
  });
  const snake = await readJson({
    resource_spans: [
      {
        scope_spans: [
          {
            spans: [
              {
                trace_id: ids.traceId,
                span_id: ids.spanId,
                name: 'n',
                kind: 3,
                start_time_unix_nano: 5,
                end_time_unix_nano: '6',
                status: { code: 2 },
              },
            ],
            scope: { name: 'scope' },
          },
        ],
        resource: { attributes: [{ key: 'service.name', value: { string_value: 's' } }] },
      },
    ],
  });
  const wrapped = await readJson({
    trace: spansOf(
      [{ ...ids, name: 'n', kind: 3, startTimeUnixNano: '5', endTimeUnixNano: '6', status: { code: 2 } }],
      [string('service.name', 's')],
    ),
  });
  for (const reading of [tempo, snake, wrapped]) expect(reading.rows).toEqual(camel.rows);
  expect(only(camel.rows.span)).toMatchObject({ kind: 3, status: 2, service: 'service:s' });
});

test('bare numbers above 2^53 keep their digits', async () => {
  const text = JSON.stringify(
    spansOf([
      {
        ...ids,
        name: 'n',
        startTimeUnixNano: 1,
        endTimeUnixNano: 2,
        attributes: [{ key: 'i', value: { intValue: 3 } }],
      },
    ]),
  )
    .replace('"startTimeUnixNano":1', '"startTimeUnixNano":1700000000123456789')
    .replace('"endTimeUnixNano":2', '"endTimeUnixNano": 1700000000999999999 ')
    .replace('"intValue":3', '"intValue":9007199254740993');
  const span = only((await readJson(text)).rows.span);
  expect(span).toMatchObject({
    start_ns: 1700000000123456789n,
    end_ns: 1700000000999999999n,
    attributes: '{"i":9007199254740993}',
  });
  for (const [written, value] of [
    ['1.7e18', 1_700_000_000_000_000_000n],
    ['"9223372036854775807"', 2n ** 63n - 1n],
    ['"0000000000000000000000017"', 17n],
    ['12345678901', 12_345_678_901n],
    ['9999999999', 9_999_999_999n],
    ['4294967296', 4_294_967_296n],
  ] as const) {
    const one = await readJson(
      JSON.stringify(spansOf([{ ...ids, startTimeUnixNano: 'T', endTimeUnixNano: '1' }])).replace('"T"', written),
    );
    expect(only(one.rows.span).start_ns, written).toBe(value);
  }
});

test('a span that has not ended has no length', async () => {
  expect(only((await readJson(spansOf([{ ...ids, startTimeUnixNano: NOW }]))).rows.span).end_ns).toBe(BigInt(NOW));
});

test('a link that points nowhere is rejected by itself', async () => {
  const reading = await readJson(
    spansOf([
      { ...ids, startTimeUnixNano: NOW, links: [{ traceId: 'abc' }, {}, { traceId: ids.traceId, spanId: ids.spanId }] },
    ]),
  );
  expect(countsOf(reading)).toEqual({ span: 1, span_link: 1, reject: 2 });
});

describe('metrics', () => {
  const point = { timeUnixNano: NOW, startTimeUnixNano: '1600000000000000000' };

  test('gauges and sums: doubles, integers, gaps, temporality', async () => {
    const reading = await readJson(
      metricsOf([
        {
          name: 'g',
          unit: 'W',
          description: 'power',
          gauge: {
            dataPoints: [
              { ...point, asDouble: 1.5 },
              { ...point, asInt: '-7' },
              { ...point, asDouble: 3, flags: 1 },
              { ...point, asDouble: 'Infinity' },
            ],
          },
        },
        {
          name: 's',
          sum: {
            dataPoints: [
              { ...point, asInt: 5, attributes: [string('b', '2'), string('a', '1')] },
              { ...point, asInt: 6, attributes: [string('a', '1'), string('b', '2')] },
            ],
            aggregationTemporality: 'AGGREGATION_TEMPORALITY_DELTA',
            isMonotonic: true,
          },
        },
        { name: 'none' },
        {},
      ]),
    );
    expect(reading.rows.point.map(({ value }) => value)).toEqual([1.5, -7, Number.NaN, Number.POSITIVE_INFINITY, 5, 6]);
    expect(seriesOf(reading.rows.point[0])).toMatchObject({
      metric: 'g',
      kind: 'gauge',
      unit: 'W',
      description: 'power',
      temporality: 0,
      monotonic: false,
      attributes: '',
    });
    expect(seriesOf(reading.rows.point[4])).toMatchObject({
      metric: 's',
      kind: 'sum',
      temporality: 1,
      monotonic: true,
      attributes: '{"a":"1","b":"2"}',
    });
    expect(reading.rows.point[4]?.series).toBe(reading.rows.point[5]?.series);
    expect(reasonsOf(reading)).toEqual(['metric none has no data of a known kind']);
  });

  test('distributions of three kinds with exemplars, JSON and wire alike', async () => {
    const exemplar = {
      timeUnixNano: NOW,
      asInt: '3',
      traceId: ids.traceId,
      spanId: ids.spanId,
      filteredAttributes: [string('f', 'x')],
    };
    const json = await readJson(
      metricsOf([
        {
          name: 'h',
          histogram: {
            aggregationTemporality: 2,
            dataPoints: [
              {
                ...point,
                count: '3',
                sum: 4.5,
                min: 1,
                bucketCounts: ['1', 2],
                explicitBounds: [10],
                exemplars: [exemplar],
              },
            ],
          },
        },
        {
          name: 'e',
          exponentialHistogram: {
            aggregationTemporality: 1,
            dataPoints: [
              {
                ...point,
                count: 9,
                scale: -3,
                zeroCount: '2',
                zeroThreshold: 0.25,
                positive: { offset: -4, bucketCounts: ['1', '18446744073709551615'] },
                negative: { offset: 7, bucketCounts: [5] },
              },
            ],
          },
        },
        {
          name: 'q',
          summary: {
            dataPoints: [
              {
                ...point,
                count: '10',
                sum: 1,
                quantileValues: [
                  { quantile: 0.5, value: 2 },
                  { quantile: 0.99, value: 'NaN' },
                ],
              },
            ],
          },
        },
        { name: 'gap', histogram: { dataPoints: [{ ...point, count: '3', flags: 1, bucketCounts: [3] }] } },
      ]),
    );
    const times: Field[] = [
      [2, 1_600_000_000_000_000_000n, 'fixed64'],
      [3, BigInt(NOW), 'fixed64'],
    ];
    const wireExemplar: Field[] = [
      [2, BigInt(NOW), 'fixed64'],
      [6, 3, 'fixed64'],
      [5, Buffer.from(ids.traceId, 'hex')],
      [4, Buffer.from(ids.spanId, 'hex')],
      [7, attribute('f', 'x')],
    ];
    const metrics: (readonly Field[])[] = [
      [
        [1, 'h'],
        [
          9,
          [
            [
              1,
              [
                ...times,
                [4, 3, 'fixed64'],
                [5, 4.5, 'double'],
                [11, 1, 'double'],
                [6, packed([1, 2], 'fixed64')],
                [7, packed([10], 'double')],
                [8, wireExemplar],
              ],
            ],
            [2, 2],
          ],
        ],
      ],
      [
        [1, 'e'],
        [
          10,
          [
            [2, 1],
            [
              1,
              [
                ...times,
                [4, 9, 'fixed64'],
                [6, -3, 'zigzag'],
                [7, 2, 'fixed64'],
                [14, 0.25, 'double'],
                [
                  8,
                  [
                    [1, -4, 'zigzag'],
                    [2, packed([1, 2n ** 64n - 1n], 'varint')],
                  ],
                ],
                [
                  9,
                  [
                    [1, 7, 'zigzag'],
                    [2, 5],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
      [
        [1, 'q'],
        [
          11,
          [
            [
              1,
              [
                ...times,
                [4, 10, 'fixed64'],
                [5, 1, 'double'],
                [
                  6,
                  [
                    [1, 0.5, 'double'],
                    [2, 2, 'double'],
                  ],
                ],
                [
                  6,
                  [
                    [1, 0.99, 'double'],
                    [2, Number.NaN, 'double'],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
      [
        [1, 'gap'],
        [9, [[1, [...times, [4, 3, 'fixed64'], [10, 1], [6, 3, 'fixed64']]]]],
      ],
    ];
    const wire = await readRows(otlpProtobuf, message([[1, [[2, metrics.map((metric): Field => [2, metric])]]]]));
    expect(wire.rows).toEqual(json.rows);
    const [histogram, exponential, summary, gap] = json.rows.distribution;
    expect(histogram).toMatchObject({
      count: 3,
      sum: 4.5,
      min: 1,
      max: Number.NaN,
      detail: '{"bounds":[10],"counts":[1,2]}',
      start_ns: 1_600_000_000_000_000_000n,
    });
    expect(exponential?.detail).toBe(
      '{"scale":-3,"zero_count":2,"zero_threshold":0.25,"positive":{"offset":-4,"counts":[1,18446744073709551615]},"negative":{"offset":7,"counts":[5]}}',
    );
    expect(exponential).toMatchObject({ count: 9, sum: Number.NaN });
    expect(summary?.detail).toBe('{"quantiles":[[0.5,2],[0.99,"NaN"]]}');
    expect(gap).toMatchObject({ count: Number.NaN, sum: Number.NaN, detail: '' });
    expect(only(json.rows.exemplar)).toMatchObject({
      value: 3,
      span_id: 0xeee19b7ec3c1b174n,
      attributes: '{"f":"x"}',
      series: histogram?.series,
    });
  });

  test('kinds from before 0.9', async () => {
    const value = { ...point, labels: [{ key: 'l', value: 'x' }] };
    const reading = await readJson({
      resourceMetrics: [
        {
          instrumentationLibraryMetrics: [
            {
              metrics: [
                { name: 'a', intGauge: { dataPoints: [{ ...value, value: '4' }] } },
                { name: 'b', doubleGauge: { dataPoints: [{ ...value, value: 0.5 }] } },
                {
                  name: 'c',
                  intSum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ ...value, value: 6 }] },
                },
                { name: 'd', doubleSum: { dataPoints: [{ ...value, value: 7 }] } },
                { name: 'e', intHistogram: { dataPoints: [{ ...value, count: 1, sum: '2', bucketCounts: ['1'] }] } },
                { name: 'f', doubleSummary: { dataPoints: [{ ...value, count: 1 }] } },
              ],
            },
          ],
        },
      ],
    });
    expect(reading.rows.point.map((row) => [seriesOf(row).kind, row.value])).toEqual([
      ['gauge', 4],
      ['gauge', 0.5],
      ['sum', 6],
      ['sum', 7],
    ]);
    expect(reading.rows.distribution.map((row) => seriesOf(row).kind)).toEqual(['histogram', 'summary']);
    for (const row of reading.rows.point) expect(seriesOf(row).attributes).toBe('{"l":"x"}');
  });

  test('scope and metadata belong to the identity of a series', async () => {
    const scoped = (name: string) => ({
      scope: { name, version: '2', attributes: [string('s', '1')] },
      metrics: [{ name: 'm', metadata: [string('type', 'gauge')], gauge: { dataPoints: [{ ...point, asInt: 1 }] } }],
    });
    const reading = await readJson({ resourceMetrics: [{ scopeMetrics: [scoped('a'), scoped('b')] }] });
    expect(reading.rows.point.map((row) => seriesOf(row).attributes)).toEqual(
      ['a', 'b'].map(
        (name) =>
          `{"otel.scope.s":"1","otel.scope.name":"${name}","otel.scope.version":"2","otel.metric.type":"gauge"}`,
      ),
    );
  });
});

describe('logs', () => {
  test('time falls back to the observed one; bodies of all types', async () => {
    const reading = await readJson(
      logsOf([
        {
          timeUnixNano: '0',
          observedTimeUnixNano: '9',
          body: { stringValue: 'plain "text"' },
          severityNumber: 'SEVERITY_NUMBER_WARN2',
          severityText: 'warn',
          ...ids,
          flags: 1,
          droppedAttributesCount: 3,
        },
        {
          timeUnixNano: '5',
          observedTimeUnixNano: '9',
          body: { kvlistValue: { values: [{ key: 'a', value: { intValue: 1 } }] } },
          severityNumber: 24,
        },
        { timeUnixNano: '6', body: { boolValue: true } },
        { timeUnixNano: '7' },
        { body: { stringValue: 'lost' } },
      ]),
    );
    expect(reading.rows.log.map(({ time_ns, body, severity }) => [time_ns, body, severity])).toEqual([
      [9n, 'plain "text"', 14],
      [5n, '{"a":1}', 24],
      [6n, 'true', 0],
      [7n, '', 0],
    ]);
    expect(reading.rows.log[0]).toMatchObject({
      severity_text: 'warn',
      span_id: 0xeee19b7ec3c1b174n,
      flags: 1,
      dropped: 3,
      observed_ns: 9n,
    });
    expect(reasonsOf(reading)).toEqual(['log record without a time']);
  });

  test('event names, new and old', async () => {
    const reading = await readJson(
      logsOf([
        { timeUnixNano: '1', eventName: 'new' },
        { timeUnixNano: '1', attributes: [string('event.name', 'attribute')] },
        { timeUnixNano: '1', name: 'old' },
      ]),
    );
    expect(reading.rows.log.map(({ event_name }) => event_name)).toEqual(['new', 'attribute', 'old']);
    expect(reading.rows.event).toEqual([]);
  });

  test('a physical event is an event row too', async () => {
    const attributes = [
      string('faultline.event.type', 'voltage_sag'),
      string('faultline.event.severity', 'HIGH'),
      string('faultline.event.id', 'e1'),
      string('faultline.event.source', 'pdu'),
      string('faultline.entity.kind', 'pdu'),
      string('faultline.entity.id', 'PDU-B'),
    ];
    const record = { timeUnixNano: '5', eventName: 'power', body: { stringValue: 'sag' }, attributes };
    const reading = await readJson(
      logsOf(
        [
          record,
          { ...record, attributes: attributes.slice(0, 2) },
          { ...record, eventName: '' },
          { ...record, attributes: [attributes[0], string('faultline.event.severity', 'loud')] },
        ],
        [string('service.name', 'collector')],
      ),
    );
    expect(countsOf(reading)).toEqual({ log: 4, event: 2, reject: 1 });
    expect(reading.rows.event[0]).toMatchObject({
      original_id: 'e1',
      time_ns: 5n,
      entity: 'pdu:PDU-B',
      origin: 'pdu',
      type: 'voltage_sag',
      severity: 1,
      message: 'sag',
      raw: JSON.stringify(record),
    });
    expect(reading.rows.event[1]).toMatchObject({ original_id: '', entity: 'service:collector', origin: 'otlp' });
    const wire = await readRows(
      otlpProtobuf,
      request([
        [
          [1, 5n, 'fixed64'],
          [12, 'power'],
          [5, [[1, 'sag']]],
          ...attributes.map((one): Field => [6, attribute(one.key, one.value.stringValue)]),
        ],
      ]),
    );
    expect(wire.rows.event[0]).toMatchObject({ entity: 'pdu:PDU-B', type: 'voltage_sag', message: 'sag' });
    expect(JSON.parse(String(wire.rows.event[0]?.raw))).toMatchObject({ timeUnixNano: '5', body: 'sag' });
  });
});

describe('resources', () => {
  const read = (attributes: object[]) => readJson(logsOf([{ timeUnixNano: '1' }], attributes));
  const edges = (reading: Awaited<ReturnType<typeof read>>) =>
    reading.rows.edge.map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`);

  test('a service in a pod on a node', async () => {
    const reading = await read([
      string('service.name', 'llama'),
      string('service.namespace', 'ml'),
      string('k8s.pod.name', 'llama-0'),
      string('k8s.namespace.name', 'prod'),
      string('k8s.node.name', 'gpu-07'),
      string('container.id', 'c0ffee00aa'),
      string('host.name', 'llama-0'),
    ]);
    expect([...reading.entities.keys()].sort()).toEqual([
      'container:c0ffee00aa',
      'node:gpu-07',
      'pod:prod/llama-0',
      'service:llama',
    ]);
    expect(reading.entities.get('service:llama')?.attributes).toBe('{"service.namespace":"ml"}');
    expect(reading.entities.get('node:gpu-07')?.aliases).toEqual(['kubernetes_node=gpu-07']);
    expect(edges(reading)).toEqual([
      'service:llama runs_on pod:prod/llama-0',
      'pod:prod/llama-0 runs_on node:gpu-07',
      'container:c0ffee00aa member_of pod:prod/llama-0',
    ]);
    expect(reading.rows.edge[0]).toMatchObject({
      valid_from_ns: ALWAYS_FROM,
      valid_to_ns: ALWAYS_TO,
      provenance: 'otlp resource',
    });
    expect(reading.rows.log[0]?.resource).toMatch(/^service:llama /);
  });

  test('a cloud host, hardware and named entities', async () => {
    const cloud = await read([
      string('cloud.provider', 'aws'),
      string('host.id', 'i-0abc'),
      string('host.name', 'ip-10-0-0-1'),
      string('cloud.resource_id', 'arn:x'),
    ]);
    expect(cloud.entities.get('instance:i-0abc')?.aliases).toEqual([
      'cloud_instance_id=i-0abc',
      'cloud_instance_id=arn:x',
      'host_name=ip-10-0-0-1',
    ]);
    expect(cloud.entities.get('server:ip-10-0-0-1')?.aliases).toEqual([
      'host_name=ip-10-0-0-1',
      'cloud_instance_id=i-0abc',
    ]);
    const supply = await read([string('hw.type', 'power_supply'), string('hw.id', 'psu-1')]);
    expect([...supply.entities.keys()]).toEqual(['psu:psu-1']);
    const named = await read([
      string('faultline.entity.kind', 'ups'),
      string('faultline.entity.id', 'UPS-1'),
      string('service.name', 'agent'),
    ]);
    expect(named.rows.log[0]?.resource).toMatch(/^ups:UPS-1 /);
    expect(
      (await read([string('faultline.entity.kind', 'dragon'), string('faultline.entity.id', 'x')])).entities.size,
    ).toBe(0);
  });

  test('series belong to the service, or to the GPU that the point names', async () => {
    const dataPoints = [
      { timeUnixNano: '1', asInt: 1 },
      { timeUnixNano: '1', asInt: 1, attributes: [string('UUID', 'GPU-1234'), string('gpu', '3')] },
      { timeUnixNano: '1', asInt: 1, attributes: [string('gpu', '3')] },
      { timeUnixNano: '1', asInt: 1, attributes: [string('hw.type', 'gpu'), string('hw.id', 'G9')] },
      {
        timeUnixNano: '1',
        asInt: 1,
        attributes: [string('faultline.entity.kind', 'rack'), string('faultline.entity.id', 'R1')],
      },
    ];
    const reading = await readJson(
      metricsOf(
        [{ name: 'm', gauge: { dataPoints } }],
        [string('service.name', 'dcgm'), string('host.name', 'node-1')],
      ),
    );
    expect(reading.rows.point.map((row) => seriesOf(row).entity)).toEqual([
      'service:dcgm',
      'gpu:GPU-1234',
      'gpu:node-1/gpu3',
      'gpu:node-1/G9',
      'rack:R1',
    ]);
    expect(reading.entities.get('gpu:GPU-1234')?.aliases).toEqual(['gpu_uuid=GPU-1234', 'gpu_index=node-1/gpu3']);
  });

  test('a resource and a scope written after their records, and the schema URL', async () => {
    const log = { timeUnixNano: '1', body: { stringValue: 'b' } };
    const reading = await readJson({
      resourceLogs: [
        {
          scopeLogs: [{ logRecords: [log], scope: { name: 'late', version: '1' }, schemaUrl: 'inner' }],
          resource: { attributes: [string('service.name', 'a')], droppedAttributesCount: 2 },
          schemaUrl: 'https://one',
        },
        {
          resource: { attributes: [string('service.name', 'b')] },
          scopeLogs: [{ scope: { name: 'early' }, logRecords: [log] }],
        },
        { scopeLogs: [{ logRecords: [log] }] },
      ],
    });
    expect(reading.rows.log.map(({ scope, resource }) => [scope, resource])).toEqual([
      ['late@1', 'service:a https://one {"service.name":"a","otel.dropped_attributes_count":2}'],
      ['early', 'service:b  {"service.name":"b"}'],
      ['', '  '],
    ]);
  });
});

test('names of services, metrics and their units, and texts of logs keep a byte order mark at their beginning', async () => {
  const mark = '\uFEFF';
  const resource = [string('service.name', `${mark}s`)];
  const gauge = { dataPoints: [{ timeUnixNano: NOW, asDouble: 1 }] };
  const { rows, entities } = await readJson(metricsOf([{ name: `${mark}m`, unit: `${mark}u`, gauge }], resource));
  expect(seriesOf(only(rows.point))).toMatchObject({ metric: `${mark}m`, unit: `${mark}u` });
  expect([...entities.keys()]).toEqual([`service:${mark}s`]);
  const body = { stringValue: `${mark}text` };
  expect(only((await readJson(logsOf([{ timeUnixNano: NOW, body }], resource))).rows.log)).toMatchObject({
    body: `${mark}text`,
  });
});
