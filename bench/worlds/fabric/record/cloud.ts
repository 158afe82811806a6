import type { Scene } from './scene.ts';
import { idOf } from './words.ts';

/** What the provider says about its hosts; a notice of work that is planned stands at many sites. */
export function recordCloud(scene: Scene): void {
  const { site, run } = scene;
  if (!site.isCloud || !scene.has('provider', 'provider', 0.8)) return;
  const chance = scene.chance('provider');
  const delay_s = chance.between(20, 400);
  const put = (
    number: number,
    at_s: number,
    code: string,
    category: string,
    instance: string,
    text: string,
    start_s = at_s,
  ): void => {
    const time = (seconds: number): string => new Date(scene.ms(seconds)).toISOString().replace(/\.\d+/, '');
    scene.add(`aws/health-${number}.json`, [
      JSON.stringify({
        version: '0',
        id: `7bf73129-1428-4cd3-a780-95db2730${String(1000 + number)}`,
        'detail-type': 'AWS Health Event',
        source: 'aws.health',
        account: '123456789012',
        time: time(at_s),
        region: 'eu-central-1',
        resources: [instance],
        detail: {
          eventArn: `arn:aws:health:eu-central-1::event/EC2/${code}/${code}_${site.seed}_${number}`,
          service: 'EC2',
          eventTypeCode: code,
          eventTypeCategory: category,
          startTime: new Date(scene.ms(start_s)).toUTCString(),
          eventDescription: [{ language: 'en_US', latestDescription: text }],
          affectedEntities: [{ entityValue: instance }],
        },
      }),
    ]);
  };
  for (const { id, type, at_s, subject } of run.engine.journal) {
    if (type !== 'host_retired' && type !== 'host_degraded') continue;
    // The notice comes late, and says when it began.
    scene.shown.add(id);
    put(
      id,
      at_s + delay_s,
      type === 'host_retired' ? 'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED' : 'AWS_EC2_OPERATIONAL_ISSUE',
      type === 'host_retired' ? 'scheduledChange' : 'issue',
      idOf(subject),
      'EC2 has detected degradation of the underlying hardware hosting your Amazon EC2 instance.',
      at_s,
    );
  }
  if (chance.is(0.5)) {
    const machine = chance.pick(site.machines);
    put(
      9000,
      chance.between(100, site.seconds - 100),
      'AWS_EC2_SYSTEM_MAINTENANCE_EVENT',
      'scheduledChange',
      machine.instance,
      'Your instance is scheduled for maintenance of the host next week.',
      site.seconds + 6 * 86_400,
    );
  }
}
