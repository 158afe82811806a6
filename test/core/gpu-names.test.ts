import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attributes } from '../../src/main/demo/otlp.ts';
import { sharedCore } from '../support/core.ts';
import { event, service, T0 } from '../support/scenario.ts';

const uuid = (gpu: number): string => `GPU-c4529c8d-03d7-4a2b-9d0e-00000000600${gpu}`;

/** A machine with two cards that a collector numbers, and one without a number. */
const cardCase = sharedCore(async (core, folder) => {
  const links = [0, 1, 7].flatMap((gpu) => [
    `server,n1,contains,gpu,${uuid(gpu)}`,
    `service,chat,runs_on,gpu,${uuid(gpu)}`,
  ]);
  const file = join(folder, 'topology.csv');
  await writeFile(file, `from_kind,from_id,edge,to_kind,to_id\n${links.join('\n')}\n`);
  await core.import([file]);
  const dataPoints = [0, 1].map((gpu) => ({
    timeUnixNano: String(BigInt(T0) * 1_000_000n),
    asDouble: 50,
    attributes: attributes({ gpu: String(gpu), UUID: uuid(gpu), Hostname: 'n1' }),
  }));
  const metrics = [{ name: 'DCGM_FI_DEV_GPU_TEMP', gauge: { dataPoints } }];
  const resource = { attributes: attributes({ 'host.name': 'n1' }) };
  const events = [0, 1, 7].map((gpu) => event(`b${gpu}`, 690 + gpu / 10, 'nvml', 'power_brake', uuid(gpu), 'high'));
  await core.importJson(
    { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'dcgm' }, metrics }] }] },
    { events },
    { service_metrics: service('chat') },
  );
});

test('chains, evidence and findings name a GPU by its machine and number where both are known', async () => {
  const core = cardCase();
  const [view] = await core.api['incidents.list']({});
  const byDevice = Object.fromEntries(view!.steps.map(({ device, name }) => [device, name]));
  expect([byDevice[uuid(0)], byDevice[uuid(1)], byDevice[uuid(7)]]).toEqual(['n1 GPU 0', 'n1 GPU 1', undefined]);
  const texts = view!.incident.hypotheses.flatMap(({ evidence }) => evidence.map(({ text }) => text)).join('\n');
  expect(texts).toContain('n1 GPU 0');
  expect(texts).not.toContain(uuid(0));
  const { findings } = await core.api['patterns.list']({});
  const brake = findings.find(({ pattern }) => pattern === 'gpu-power-brake');
  expect(brake?.headline).toContain('n1 GPU 0');
  // What refers to records keeps their names.
  expect(JSON.stringify(brake?.entities)).toContain(uuid(0));
});

test('lanes, the map and findings name it so, too, beside the key that they refer to', async () => {
  const core = cardCase();
  const lanes = await core.api['timeline.lanes']({});
  const named = lanes.filter(({ entity_kind }) => entity_kind === 'gpu').map(({ id, name }) => [id, name]);
  expect(named).toContainEqual([`events:gpu:${uuid(0)}`, 'n1 GPU 0']);
  expect(named).toContainEqual([`events:gpu:${uuid(7)}`, undefined]);
  const { nodes } = await core.api['topology.get']({});
  const nodeNames = Object.fromEntries(nodes.map(({ key, name }) => [key, name]));
  expect([nodeNames[`gpu:${uuid(1)}`], nodeNames[`gpu:${uuid(7)}`]]).toEqual(['n1 GPU 1', undefined]);
  const { findings } = await core.api['patterns.list']({});
  const entities = findings.flatMap((finding) => finding.entities);
  expect(entities).toContainEqual({ kind: 'gpu', id: uuid(0), name: 'n1 GPU 0' });
});

test('a report names them so, and its appendix as the records do', async () => {
  const { text } = await cardCase().api['report.render']({});
  const [body = '', appendix = ''] = text.split('## Appendix: evidence');
  expect(body).toContain('power brake on n1 GPU 0');
  expect(body).not.toContain(uuid(0));
  expect(body).toContain(uuid(7));
  expect(appendix).toContain(uuid(0));
  const { document } = await cardCase().api['report.document']({});
  const drawn = document.figures.map(({ svg }) => svg).join('');
  expect(drawn).toContain('>n1 GPU 0<');
  const timeline = await cardCase().api['correlate.render']({ options: {}, format: 'timeline' });
  expect(timeline.text).toContain('n1 GPU 0');
  expect(timeline.text).not.toContain(uuid(0));
});
