import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { queries } from '../../src/core/store/queries/index.ts';
import { neededEvents, neededKinds, neededMetrics, neededRows } from '../../src/core/store/queries/needed-rows.ts';
import { writeScenario } from '../../src/main/demo/scenarios/index.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Engine, SqlValue } from '../../src/model/storage/engine.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { sharedData } from '../support/shared-data.ts';

interface Asked {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The engine, with every query that is asked of it. */
function recorded(engine: Engine, asked: Asked[]): Engine {
  const session = async () => {
    const real = await engine.session();
    const query: typeof real.query = (sql, values = [], signal) => {
      asked.push({ sql, values });
      return real.query(sql, values, signal);
    };
    return new Proxy(real, {
      get: (target, name) => {
        if (name === 'query') return query;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  return { session, checkpoint: () => engine.checkpoint(), close: () => engine.close() };
}

const nameOf = (sql: string): string => Object.entries(queries).find(([, text]) => text === sql)?.[0] ?? sql;

/** Asked of live cases, of differences without spans, and of the latest time only. */
const unasked = ['differencePeers', 'recentBlocks', 'watchedState'];

/** Everything that can be concluded from a case with rows in all tables: by the demo, a job that hangs, one that ends and a slow model. */
test('a query answers nothing without the rows that it needs', async () => {
  const engine = await openNativeEngine(':memory:');
  const asked: Asked[] = [];
  const core = await openTestCore(undefined, { engine: recorded(engine, asked) });
  const folder = await temporaryFolder();
  await core.import(await demoFiles());
  for (const scenario of ['hang', 'batching'] as const)
    await core.import((await writeScenario(join(folder, scenario), scenario)).paths);
  await core.import(
    ['histograms/http.json', 'nccl-metrics/ingero-otlp.json.gz'].map((name) => sharedData(`defects/${name}`)),
  );
  await core.import(['job-spans.json.gz', 'util.json', 'topo.csv'].map((name) => sharedData(`defects/crash/${name}`)));
  // What processes called of CUDA in each minute.
  await core.import([sharedData('traces-other/ingero/pytorch-dataloader-starvation.db')]);
  // Pods and power supplies.
  await core.import(
    ['kubernetes/pods.json', 'redfish/powershelf'].map((name) => join(import.meta.dirname, '../../fixtures', name)),
  );
  // A job that metrics measure, and the processor time of a pod.
  const dataPoints = Array.from({ length: 60 }, (_, i) => ({
    timeUnixNano: `${1_777_644_000 + 15 * i}000000000`,
    asDouble: 7 * i,
  }));
  const gauge = (of: string, stringValue: string, name: string) => {
    const resource = { attributes: [{ key: of, value: { stringValue } }] };
    return { resource, scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] };
  };
  const resourceMetrics = [
    gauge('service.name', 'llm', 'train_global_step'),
    gauge('k8s.pod.name', 'llm-0', 'k8s.pod.cpu.time'),
  ];
  await writeFile(join(folder, 'steps.json'), JSON.stringify({ resourceMetrics }));
  await core.import([join(folder, 'steps.json')]);
  // A job that is started again from its last checkpoint.
  const lines = [
    ...Array.from({ length: 600 }, (_, i) => i + 1),
    ...Array.from({ length: 900 }, (_, i) => i + 501),
  ].map(
    (step, i) =>
      `${new Date(1_777_644_000_000 + 2000 * i).toISOString()} INFO pretrain: step: ${step} loss: ${8 - step / 1000}`,
  );
  await writeFile(join(folder, 'pretrain.log'), `${lines.join('\n')}\n`);
  await core.import([join(folder, 'pretrain.log')]);
  const incidents = await core.api['incidents.list']({});
  await core.api['patterns.list']({});
  await core.api['jobs.list']({});
  await core.api['report.document']({});
  const { start_ns, end_ns } = incidents[0]!;
  await core.api['differences.find']({ region: { start_ns, end_ns }, baseline: { kind: 'rest' } });
  const checked = new Map(asked.filter(({ sql }) => neededRows.has(sql)).map((one) => [nameOf(one.sql), one]));
  expect([...neededRows.keys()].map(nameOf).filter((name) => !checked.has(name))).toEqual(unasked);
  const session = await engine.session();
  for (const [name, { sql, values }] of checked) {
    await session.execute('begin transaction');
    for (const table of neededRows.get(sql)!) await session.execute(`delete from ${table}`);
    expect([name, (await session.query(sql, values)).count]).toEqual([name, 0]);
    await session.execute('rollback');
  }
  for (const [sql, kinds] of neededKinds) {
    const { values } = checked.get(nameOf(sql))!;
    await session.execute('begin transaction');
    for (const kind of kinds) await session.execute(`update entity set kind = 'service' where kind = '${kind}'`);
    expect([nameOf(sql), (await session.query(sql, values)).count]).toEqual([nameOf(sql), 0]);
    await session.execute('rollback');
  }
  const names = await session.query(queries.metricNames);
  const [metrics, units] = names.columns as unknown as readonly [readonly string[], readonly string[]];
  for (const [sql, isMetric] of neededMetrics) {
    const { values } = checked.get(nameOf(sql))!;
    const read = metrics.filter((metric, i) => isMetric(metric, units[i]!));
    expect([nameOf(sql), read.length]).toEqual([nameOf(sql), expect.toSatisfy((count: number) => count > 0)]);
    await session.execute('begin transaction');
    for (const metric of read) await session.query("update series set metric = 'other' where metric = $1", [metric]);
    expect([nameOf(sql), (await session.query(sql, values)).count]).toEqual([nameOf(sql), 0]);
    await session.execute('rollback');
  }
  for (const [sql, types] of neededEvents) {
    const { values } = checked.get(nameOf(sql))!;
    await session.execute('begin transaction');
    for (const type of types) await session.query("update name set text = 'other ' || text where text = $1", [type]);
    expect([nameOf(sql), (await session.query(sql, values)).count]).toEqual([nameOf(sql), 0]);
    await session.execute('rollback');
  }
  session.close();
});

/** Read beside the rows that the query answers with. */
const beside: Readonly<Record<string, readonly string[]>> = {
  countersBegun: ['event'],
  statedReadings: ['event'],
};

test.each([...neededRows])('every table that a query reads is needed, or read beside others', (sql, tables) => {
  const read = [...sql.matchAll(/\b(?:from|join)\s+(?:main\.)?(collective|distribution|event|log|point|span)\b/g)];
  const others = read.map(([, table]) => table!).filter((table) => !tables.some((needed) => needed === table));
  expect([nameOf(sql), [...new Set(others)]]).toEqual([nameOf(sql), beside[nameOf(sql)] ?? []]);
});
