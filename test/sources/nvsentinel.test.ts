import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nvsentinel } from '../../src/main/sources/nvsentinel/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { type Reading, readSource } from '../support/read-source.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/nvsentinel', name));
const reported = ({ rows }: Reading) =>
  rows.event.map(({ time_ns, type, entity }) => `${formatUtc(nanos(time_ns as bigint))} ${type} ${entity}`);
const attributes = (reading: Reading, i: number) =>
  JSON.parse(String(reading.rows.event[i]?.attributes)) as Record<string, unknown>;

test('documents of MongoDB: lower-case keys, extended dates, quarantine, drain and repair', async () => {
  const reading = await readSource(nvsentinel, fixture('mongodb.json'));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:04.500Z xid_error gpu:GPU-1111',
    '2026-01-01T00:00:04.500Z node_quarantined node:gpu-node-3',
    '2026-01-01T00:00:04.500Z node_drained node:gpu-node-3',
    '2026-01-01T00:06:40.000Z node_remediated node:gpu-node-3',
    '2026-01-01T00:10:00.000Z health_check_passed gpu:gpu-node-3/gpu2',
    '2026-01-01T00:10:00.000Z node_unquarantined node:gpu-node-3',
  ]);
  expect(attributes(reading, 0)).toMatchObject({
    recommended_action: 'RESTART_BM',
    quarantine: 'Quarantined',
    drain: 'Succeeded',
    xid: 79,
  });
  expect(attributes(reading, 1)).toEqual({ not_before: true });
  expect(reading.rows.event[0]).toMatchObject({ severity: 0, original_id: '65f0c0ffee' });
  expect(reading.entities.get('gpu:GPU-1111')?.aliases).toContain('pci_address=gpu-node-3/pci-0000:9b:00');
});

test('CloudEvents with snake case, and a maintenance event with its stages', async () => {
  const reading = await readSource(nvsentinel, fixture('cloudevents.json'));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:01:00.000Z health_check_failed nic:gpu-node-4/mlx5_0',
    '2026-01-01T01:00:00.000Z host_degradation instance:123456789',
    '2026-01-01T02:00:07.000Z maintenance_started instance:123456789',
  ]);
  expect(reading.rows.edge.map(({ from_entity, to_entity }) => `${from_entity} ${to_entity}`)).toContain(
    'node:gpu-node-5 instance:123456789',
  );
});

test('a sample as sent has no time: it gets the time of the recording, with a remark', async () => {
  const reading = await readSource(nvsentinel, fixture('xid-79-error.json'));
  expect(reported(reading)).toEqual(['2026-01-01T00:00:00.000Z xid_error gpu:NODE_NAME/gpu0']);
  expect(reading.remarks.join()).toContain('without a time');
  expect(attributes(reading, 0)).toMatchObject({ time_known: false, recommended_action: 'RESTART_VM' });
});

test('the message that monitors send: a list of events; an action outside the enumeration stays a number', async () => {
  const events = [
    {
      checkName: 'x',
      isFatal: false,
      isHealthy: false,
      nodeName: 'n',
      recommendedAction: 1,
      generatedTimestamp: '2026-01-01T00:00:01Z',
    },
  ];
  const bytes = Buffer.from(JSON.stringify({ version: 1, events }));
  expect(nvsentinel.detect(new FileHead(bytes))).toBe(true);
  const reading = await readSource(nvsentinel, bytes);
  expect(attributes(reading, 0)).toMatchObject({ recommended_action: '1' });
});

test('hostile documents are rejects', async () => {
  const documents = [
    null,
    1,
    { checkName: {}, isFatal: 1, entitiesImpacted: 'x' },
    { maintenanceType: 1, eventId: 2, csp: 3 },
    { checkName: 'x', isFatal: true, nodeName: 'n', generatedTimestamp: { seconds: 1e300 } },
  ];
  const { rows } = await readSource(nvsentinel, JSON.stringify(documents));
  expect(rows.reject).toHaveLength(4);
  expect(rows.event).toHaveLength(1);
});
