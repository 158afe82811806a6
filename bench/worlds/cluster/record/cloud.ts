import type { Scene } from './scene.ts';

/** Notices of the provider (AWS Health events as EventBridge delivers them), with the instance in the map. */
export function recordCloud(scene: Scene): void {
  const clock = scene.clock('provider');
  for (const happening of scene.run.journal) {
    if (happening.what !== 'cloud_notice') continue;
    const time = scene.iso(clock, happening.at_s, 0);
    const node = scene.server(happening.server!);
    scene.keep(happening);
    scene.links.push({ from: `node:${node}`, edge: 'runs_on', to: `instance:${happening.subject.id}` });
    scene.files.set(
      'instances.csv',
      `from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\nnode,${node},runs_on,instance,${happening.subject.id},,\n`,
    );
    scene.files.set('health.json', JSON.stringify(noticeOf(scene.chance('cloud').hex(12), time, happening.subject.id)));
  }
}

const noticeOf = (id: string, time: string, instance: string) => ({
  version: '0',
  id: `7bf73129-1428-4cd3-a780-${id}`,
  'detail-type': 'AWS Health Event',
  source: 'aws.health',
  account: '123456789012',
  time,
  region: 'us-east-1',
  resources: [instance],
  detail: {
    eventArn: `arn:aws:health:us-east-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED_${id}`,
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    startTime: new Date(time).toUTCString(),
    eventDescription: [
      {
        language: 'en_US',
        latestDescription: `EC2 has detected degradation of the underlying hardware hosting your Amazon EC2 instance ${instance}.`,
      },
    ],
    affectedEntities: [{ entityValue: instance }],
  },
});
