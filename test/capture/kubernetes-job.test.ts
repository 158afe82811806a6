import { expect, test } from 'vitest';
import { captureWhile, isState, reaches } from '../support/capture-run.ts';
import { type CloudReply, cloudService, expectOnlyLoopback } from '../support/cloud-service.ts';

expectOnlyLoopback();

const RANKS = 4;
const stamp = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString();
/** A pod of a PyTorchJob, which runs for a minute. */
const pod = (rank: number) => ({
  metadata: {
    ...{ name: `llm-worker-${rank}`, namespace: 'train', uid: `u${rank}`, resourceVersion: '3' },
    labels: { 'training.kubeflow.org/job-name': 'llm' },
    ownerReferences: [{ kind: 'PyTorchJob', name: 'llm', uid: 'j', controller: true }],
  },
  spec: { nodeName: `node-${rank}`, containers: [{ name: 'c', env: [{ name: 'RANK', value: String(rank) }] }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      { name: 'c', containerID: `containerd://${rank}`, state: { running: { startedAt: stamp(-60) } } },
    ],
  },
});
const node = (at: number) => ({
  metadata: { name: `node-${at}`, uid: `n${at}`, resourceVersion: '2' },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: stamp(-3600), message: 'kubelet' }] },
});
const event = (reason: string, rank: number, version: number) => ({
  ...{ kind: 'Event', apiVersion: 'v1', reason, type: 'Warning', message: 'The node was low on resource: memory.' },
  metadata: { name: `${reason}.${version}`, namespace: 'train', uid: `e${version}`, resourceVersion: String(version) },
  involvedObject: { kind: 'Pod', name: `llm-worker-${rank}`, namespace: 'train', uid: `u${rank}` },
  ...{ firstTimestamp: stamp(0), lastTimestamp: stamp(0), reportingComponent: 'kubelet' },
});

/** What the API of a cluster answers about events: lists and watches. */
class ClusterEvents {
  private readonly all: object[] = [];
  private version = 10;
  /** Versions before it are forgotten: 410 Gone, as a status of HTTP or within the watch. */
  private oldest = 0;
  private goneAs: 'status' | 'line' = 'status';
  readonly watches: { readonly since: number; readonly gone: boolean }[] = [];

  happens(reason: string, rank: number): void {
    this.all.push(event(reason, rank, ++this.version));
  }

  /** Other objects changed meanwhile. */
  forget(as: 'status' | 'line'): void {
    this.version += 100;
    this.oldest = this.version;
    this.goneAs = as;
  }

  answer(asked: URLSearchParams): CloudReply {
    if (!asked.has('watch'))
      return {
        body: {
          ...{ kind: 'EventList', apiVersion: 'v1', items: this.all },
          metadata: { resourceVersion: String(this.version) },
        },
      };
    const since = Number(asked.get('resourceVersion'));
    const gone = since < this.oldest;
    this.watches.push({ since, gone });
    const expired = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 };
    if (gone && this.goneAs === 'status') return { status: 410, body: expired };
    const bookmark = { kind: 'Event', apiVersion: 'v1', metadata: { resourceVersion: String(this.version) } };
    const lines = gone
      ? [{ type: 'ERROR', object: expired }]
      : [
          ...this.all.filter((one) => versionOf(one) > since).map((object) => ({ type: 'ADDED', object })),
          { type: 'BOOKMARK', object: bookmark },
        ];
    return { body: lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
  }
}
const versionOf = (one: object): number =>
  Number((one as { metadata: { resourceVersion: string } }).metadata.resourceVersion);

async function apiServer(events: ClusterEvents): Promise<string> {
  const { url } = await cloudService(({ url: asked }) => {
    const { pathname, searchParams } = new URL(asked, 'http://api');
    const what = pathname.split('/').at(-1);
    if (what === 'events') return events.answer(searchParams);
    const items = Array.from({ length: RANKS }, (_, rank) => (what === 'pods' ? pod(rank) : node(rank)));
    if (what !== 'pods' && what !== 'nodes') return { status: 404, body: { kind: 'Status', reason: 'NotFound' } };
    const kind = what === 'pods' ? 'PodList' : 'NodeList';
    return { body: { kind, apiVersion: 'v1', metadata: { resourceVersion: '9' }, items } };
  });
  return url;
}

const EVICTED = `select count(*) from events where type = 'pod_evicted'`;

test('a pod of a running job that is evicted is an event of the job while it is recorded', async () => {
  const events = new ClusterEvents();
  const plan = `feeds: [{kind: kubernetes, url: "${await apiServer(events)}", every_s: 5}]`;
  await captureWhile(plan, async (until, core) => {
    const job = async () => (await core.api['jobs.list']({})).jobs.find(({ name }) => name === 'train/llm');
    await until(isState('up'));
    await reaches(core, `select count(*) from entity where kind = 'rank'`, RANKS);
    expect(await job()).toMatchObject({ ranks: RANKS });
    expect((await job())!.state).not.toBe('ended');
    events.happens('Evicted', 2);
    await reaches(core, EVICTED, 1);
    const { incidents } = await core.api.correlate({});
    expect(incidents).toMatchObject([{ harm: 'failed', affected_services: ['train/llm'] }]);
    expect(incidents[0]!.hypotheses[0]).toMatchObject({ type: 'pod_evicted', subject: { id: 'train/llm-worker-2' } });
    expect(await job()).toMatchObject({ state: 'ended', reason: 'failed' });
  });
  expect(events.watches.length).toBeGreaterThan(0);
});

test.each(['status', 'line'] as const)(
  'what comes while the server forgets the version is neither lost nor doubled: 410 as %s',
  async (as) => {
    const events = new ClusterEvents();
    const plan = `feeds: [{kind: kubernetes, url: "${await apiServer(events)}", every_s: 5}]`;
    await captureWhile(plan, async (until, core) => {
      await until(isState('up'));
      events.happens('Evicted', 1);
      await reaches(core, EVICTED, 1);
      events.forget(as);
      events.happens('Evicted', 3);
      await reaches(core, EVICTED, 2);
      events.happens('Evicted', 0);
      await reaches(core, EVICTED, 3);
      const rows = await core.api['query.sql']({ sql: EVICTED });
      expect(Number(rows.rows[0]![0])).toBe(3);
    });
    expect(events.watches.some(({ gone }) => gone)).toBe(true);
  },
);
