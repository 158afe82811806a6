import { expect, test } from 'vitest';
import { contract, type ProcedureName } from '../../src/model/contract/index.ts';
import { memoryCore } from '../support/core.ts';
import { event } from '../support/scenario.ts';

const names = Object.keys(contract) as ProcedureName[];

/** Payloads of the wrong kind, and right-looking ones with values out of bounds. */
const hostile: readonly unknown[] = [
  42,
  'text',
  [],
  {
    handles: 'x',
    sql: 7,
    ref: '',
    start_ns: 'soon',
    format: 'exe',
    purpose: 'all',
    limit: -1,
    recent: 5,
    suggested_name: 1,
    lag: -1,
    options: { lag: 0 },
    source_id: 'one',
  },
];

test.each(names)('%s refuses what its schema does not allow, before any handler runs', async (name) => {
  const core = await memoryCore();
  const call = async (input: unknown) => {
    const answer = (core.api[name] as (input: unknown) => unknown)(input);
    if (contract[name].kind === 'stream') for await (const _ of answer as AsyncIterable<unknown>);
    else await answer;
  };
  const refusals = hostile.filter((input) => !contract[name].input.safeParse(input).success);
  expect(refusals.length).toBeGreaterThanOrEqual(3);
  for (const input of refusals)
    await expect(call(input)).rejects.toMatchObject({ problem: { code: 'request.invalid' } });
});

test('what the core answers is what the contract promises', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });
  const window = { start_ns: 0n, end_ns: 2n ** 62n };
  const lanes = await core.api['timeline.lanes']({});
  const answers: [ProcedureName, unknown][] = [
    ['app.info', await core.api['app.info']({})],
    ['case.current', await core.api['case.current']({})],
    ['timeline.lanes', lanes],
    [
      'timeline.data',
      await core.api['timeline.data']({
        ...window,
        buckets: 10,
        lanes: [...lanes.map(({ id }) => id), 'events:pdu:nobody'],
      }),
    ],
    ['timeline.overview', await core.api['timeline.overview']({ ...window, buckets: 10 })],
    ['rows.list', await core.api['rows.list']({ ...window, table: 'event' })],
    ['evidence.get', await core.api['evidence.get']({ ref: 'event:1' })],
    [
      'query.sql',
      await core.api['query.sql']({ sql: "select 1 as a, [1, 2] as b, null as c, now() as d, 'x'::blob as e" }),
    ],
    ['correlate', await core.api.correlate({})],
    ['incidents.list', await core.api['incidents.list']({})],
    ['report.render', await core.api['report.render']({})],
    ['rejects.list', await core.api['rejects.list']({})],
    ['feeds.list', await core.api['feeds.list']({})],
    ['clocks.list', await core.api['clocks.list']({})],
    ['mechanisms.status', await core.api['mechanisms.status']({})],
    ['trace.get', await core.api['trace.get']({ trace_id: 'ff' })],
  ];
  for (const [name, answer] of answers)
    expect([name, contract[name].output.safeParse(answer).error]).toEqual([name, undefined]);
  const data = await core.api['timeline.data']({ ...window, buckets: 10, lanes: ['events:pdu:nobody'] });
  expect(data).toEqual([{ kind: 'broken', lane: 'events:pdu:nobody', message: 'there is no such lane' }]);
});

test('an event that is out of the case, and one that never was, are expected failures', async () => {
  const core = await memoryCore();
  await expect(core.api['evidence.get']({ ref: 'event:1' })).rejects.toMatchObject({
    problem: { code: 'case.none_open' },
  });
  await core.importJson({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] });
  for (const ref of [
    'event:99',
    'event:x',
    'span:1/2',
    'log:1/99',
    'measurement:x@y',
    'source:9',
    'entity:pdu:x',
    'case:x',
    'nonsense',
  ]) {
    await expect(core.api['evidence.get']({ ref })).rejects.toMatchObject({ problem: { code: 'evidence.unknown' } });
  }
});
