import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { awsHealth } from '../../src/main/sources/aws-health/index.ts';
import { azureHealth } from '../../src/main/sources/azure-health/index.ts';
import { cloudTime } from '../../src/main/sources/cloud/cloud-time.ts';
import { cloudwatch } from '../../src/main/sources/cloudwatch/index.ts';
import { gcpHealth } from '../../src/main/sources/gcp-health/index.ts';
import { sources } from '../../src/main/sources/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { type Reading, readSource, samplesOf } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
const fixture = (name: string) => readFileSync(join(fixtures, name));
const words = ['critical', 'high', 'medium', 'low'];
const reported = ({ rows }: Reading) =>
  rows.event.map(({ time_ns, type, severity, entity }) =>
    [formatUtc(nanos(time_ns as bigint)), type, words[severity as number], entity].join(' '),
  );

test('AWS: RFC 1123 times with a wrong weekday, an announced retirement, a lost volume, a state change', async () => {
  expect(reported(await readSource(awsHealth, fixture('aws-health/drive-degraded.json')))).toEqual([
    '2016-06-05T15:10:09.000Z host_degradation high instance:i-abcd1111',
  ]);
  const retire = await readSource(awsHealth, fixture('aws-health/event-phd-ec2-retire.json'));
  expect(reported(retire)).toEqual(['2018-11-01T22:00:00.000Z host_degradation medium instance:i-00ddbf07ce6372082']);
  expect(reported(await readSource(awsHealth, fixture('aws-health/ebs-volume-lost.json')))).toEqual([
    '2017-02-07T00:55:52.000Z host_degradation high device:vol-04e5b75b51ba5e835',
  ]);
  expect(reported(await readSource(awsHealth, fixture('aws-health/event-instance-state.json')))).toEqual([
    '2015-11-23T06:58:14.000Z cloud_event low instance:i-a2d74f12',
  ]);
});

test('AWS: three answers of the API, in one folder, are one event on its instance', async () => {
  const folder = join(fixtures, 'aws-health/test_ec2_health_events_filter');
  const tree = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const roots = new Set(
    Object.entries(tree).map(([name, bytes]) => awsHealth.gather?.root(`f/${name}`, new FileHead(bytes))),
  );
  expect([...roots]).toEqual(['f']);
  const reading = await readSource(awsHealth, tree);
  expect(reported(reading)).toEqual(['2017-04-27T00:59:04.143Z host_degradation medium instance:i-063b4adb5673590ed']);
  expect(reading.rows.event[0]?.message).toContain(
    'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED: EC2 has detected degradation',
  );
});

test('AWS: a closed issue ends, a bill is no fault, unknown codes are kept, metadata events have no instance', async () => {
  const health = (detail: object) => ({
    'detail-type': 'AWS Health Event',
    source: 'aws.health',
    time: '2026-01-01T00:00:00Z',
    detail,
  });
  const list = [
    health({
      eventTypeCode: 'AWS_EC2_POWER_ISSUE',
      eventTypeCategory: 'issue',
      statusCode: 'closed',
      startTime: '2026-01-01T00:00:00Z',
      endTime: '2026-01-01T01:00:00Z',
      affectedEntities: [{ entityValue: 'arn:aws:ec2:us-east-1:1:instance/i-00ff' }],
    }),
    health({
      eventTypeCode: 'AWS_BILLING_NOTIFICATION',
      eventTypeCategory: 'accountNotification',
      startTime: '2026-01-01T00:00:00Z',
    }),
    health({
      eventTypeCode: 'AWS_EC2_SOMETHING_NEW',
      eventTypeCategory: 'scheduledChange',
      startTime: '2026-02-01T00:00:00Z',
      affectedEntities: [{ entityValue: 'i-00ff' }],
    }),
    {
      NotBefore: '21 Jan 2019 09:00:43 GMT',
      Code: 'system-reboot',
      Description: 'scheduled reboot',
      EventId: 'e',
      State: 'active',
    },
  ];
  expect(reported(await readSource(awsHealth, JSON.stringify(list)))).toEqual([
    '2026-01-01T00:00:00.000Z host_degradation high instance:i-00ff',
    '2026-01-01T01:00:00.000Z host_recovered low instance:i-00ff',
    '2026-01-01T00:00:00.000Z cloud_event low ',
    '2026-01-01T00:00:00.000Z maintenance_scheduled low instance:i-00ff',
    '2019-01-21T09:00:43.000Z maintenance_scheduled low ',
  ]);
});

test('Azure: availability with what was resolved, activity log in both spellings, user-initiated ranks low', async () => {
  const availability = await readSource(
    azureHealth,
    fixture('azure-health/AvailabilityStatuses_ListBySubscriptionId.json'),
  );
  expect(reported(availability)).toEqual([
    '2017-02-28T00:48:00.000Z host_degradation high instance:<resourceid>',
    '2017-02-28T00:49:00.000Z host_recovered low instance:<resourceid>',
    '2016-03-29T09:12:00.000Z host_degradation critical instance:<resourceid>',
  ]);
  const activity = await readSource(azureHealth, fixture('azure-health/activity-log.json'));
  const vm = 'instance:/subscriptions/s/resourcegroups/g/providers/microsoft.compute/virtualmachines/gpu-vm-1';
  expect(reported(activity)).toEqual([
    `2026-01-01T00:00:03.650Z host_degradation high ${vm}`,
    `2026-01-01T00:09:00.000Z host_recovered low ${vm}`,
  ]);
  expect(reported(await readSource(azureHealth, fixture('azure-health/scheduled-events.json')))).toEqual([
    '2026-01-01T00:15:00.000Z maintenance_scheduled medium instance:gpu-vm-1',
    '2026-01-01T00:15:00.000Z maintenance_scheduled medium instance:gpu-vm-2',
  ]);
});

test('GCP: a host error is critical although its log has INFO; upcoming maintenance', async () => {
  const reading = await readSource(gcpHealth, fixture('gcp-health/host-error.json'));
  expect(reported(reading)).toEqual([
    '2026-01-01T00:00:23.102Z host_degradation critical instance:2074079198322937303',
    '2026-01-01T00:02:00.000Z host_rebooted medium instance:2074079198322937303',
  ]);
  expect(reading.entities.get('instance:2074079198322937303')?.aliases).toContain('host_name=gpu-node-1');
  const upcoming = await readSource(gcpHealth, fixture('gcp-health/instances.json'));
  expect(reported(upcoming)).toEqual(['2026-01-01T00:00:00.000Z maintenance_scheduled low instance:vm-01']);
  expect(upcoming.remarks.join()).toContain('dated at the time of the recording');
});

test('CloudWatch: newest first, epoch floats, streams; a failed check is a state', async () => {
  const samples = samplesOf(await readSource(cloudwatch, fixture('cloudwatch/metric-data.json')));
  expect(samples.map(({ metric, value, entity, unit }) => `${entity} ${metric} ${value} ${unit}`)).toEqual([
    'instance:i-0abc12345 system.cpu.utilization 97.5 %',
    'instance:i-0abc12345 system.cpu.utilization 12 %',
    'instance:i-0abc12345 cloud.status_check.failed 0 1',
    'instance:i-0abc12345 cloud.status_check.failed 1 1',
  ]);
  expect(samples[3]?.time_ns).toBe(1_767_225_900_000_000_000n);
  const streamed = samplesOf(await readSource(cloudwatch, fixture('cloudwatch/stream.json')));
  expect(streamed.map(({ metric, value, unit }) => `${metric} ${value} ${unit}`)).toEqual([
    'cloudwatch.NetworkIn 6 By',
    'cloud.status_check.failed 1 1',
  ]);
});

test('every recorded file of the three providers is claimed by its own importer, and read without a reject', async () => {
  const folder = sharedData('cloud-health');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!statSync(file).isFile() || !name.endsWith('.json')) continue;
    const bytes = readFileSync(file);
    const source = sources.find((one) => one.detect(new FileHead(bytes.subarray(0, 65_536))));
    expect(source?.id, name).toBe(`${name.split('/')[0]}-health`);
    const reading = await readSource(source!, source?.gather ? { [name]: bytes } : bytes);
    expect(reading.rows.reject, name).toEqual([]);
  }
});

test('times in every dialect, and none where there is none', () => {
  const at = (value: unknown) => {
    const time = cloudTime(value);
    return time === undefined ? undefined : formatUtc(nanos(time));
  };
  expect(at('2016-05-04T14:11:29.7598931Z')).toBe('2016-05-04T14:11:29.759Z');
  expect(at(1_767_225_600.5)).toBe('2026-01-01T00:00:00.500Z');
  expect(at(1_767_225_600_500)).toBe('2026-01-01T00:00:00.500Z');
  expect(
    at({ __class__: 'datetime', year: 2017, month: 4, day: 27, hour: 0, minute: 59, second: 4, microsecond: 143_000 }),
  ).toBe('2017-04-27T00:59:04.143Z');
  for (const value of [
    null,
    undefined,
    '',
    'soon',
    Number.NaN,
    Infinity,
    1e300,
    {},
    { __class__: 'datetime', year: 1e9 },
  ])
    expect(at(value)).toBeUndefined();
});

test('hostile records are rejects', async () => {
  for (const source of [awsHealth, azureHealth, gcpHealth, cloudwatch]) {
    const list = [
      null,
      3,
      {},
      { detail: 5, 'detail-type': 'AWS Health Event' },
      { properties: { availabilityState: 'x' } },
      { protoPayload: { methodName: 'compute.instances.x' } },
      { MetricDataResults: [{ Timestamps: ['x'], Values: [{}] }] },
    ];
    const { rows } = await readSource(source, JSON.stringify(list));
    expect(rows.reject.length, source.id).toBeGreaterThanOrEqual(6);
  }
});

test('GCP: the response of the metadata server about its own machine; an id that JSON has rounded is ignored', async () => {
  const saved = '{"id":2074079198322937303,"name":"gpu-node-3.c.p-1.internal","maintenanceEvent":"%"}';
  const text = saved.replace('%', 'TERMINATE_ON_HOST_MAINTENANCE');
  expect(gcpHealth.detect(new FileHead(Buffer.from(text)))).toBe(true);
  const reading = await readSource(gcpHealth, text);
  expect(reported(reading)).toEqual(['2026-01-01T00:00:00.000Z maintenance_started high instance:gpu-node-3']);
  const calm = await readSource(gcpHealth, saved.replace('%', 'NONE'));
  expect([calm.rows.event, calm.rows.reject]).toEqual([[], []]);
});
