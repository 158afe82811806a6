import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kubernetesFeed } from '../../src/main/capture/kubernetes/index.ts';
import { kubernetes } from '../../src/main/sources/kubernetes/index.ts';
import type { FeedCheck } from '../../src/model/storage/feed.ts';
import { type CloudReply, cloudService, environment, expectOnlyLoopback } from '../support/cloud-service.ts';
import { temporaryFolder } from '../support/core.ts';
import { type FeedRun, pause, runFeed } from '../support/feed-run.ts';
import { readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

environment({ KUBECONFIG: undefined, HOME: '/nowhere', TEST_KUBE_TOKEN: 't0ken', KUBERNETES_SERVICE_HOST: undefined });
expectOnlyLoopback();

type Json = Record<string, unknown>;
interface List extends Json {
  readonly items: Json[];
}
const fixture = (name: string) => JSON.parse(readFileSync(name, 'utf8')) as List;
const node = (name: string, ready = 'True'): Json => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1' },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.0.0.3' }],
    conditions: [{ type: 'Ready', status: ready, lastTransitionTime: '2026-01-01T00:01:00Z', message: 'kubelet' }],
    nodeInfo: { kubeletVersion: 'v1.31.0' },
  },
});
const pod = (name: string, nodeName: string): Json => ({
  metadata: {
    name,
    namespace: 'a',
    uid: `uid-${name}`,
    resourceVersion: '7',
    labels: { 'app.kubernetes.io/name': 'llama' },
  },
  spec: { nodeName, containers: [{ name: 'main' }] },
  status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
});

interface Cluster {
  readonly nodes: readonly Json[];
  readonly pods: readonly Json[];
  readonly replicasets?: readonly Json[];
  /** In order; the version of a list is how many there are. */
  readonly events?: Json[];
  /** Versions before it are no longer known. */
  oldest?: number;
  /** Rights that the user lacks. */
  readonly lacks?: 'list events' | 'watch events';
}
const event = (name: string, reason: string, about: object, minute: number): Json => ({
  metadata: { name, namespace: 'a', uid: `uid-${name}`, resourceVersion: String(minute) },
  involvedObject: { namespace: 'a', ...about },
  reason,
  message: reason.toLowerCase(),
  type: 'Warning',
  firstTimestamp: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
  lastTimestamp: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
});

/** The list of events, or a watch of those after a version. */
function eventsOf({ events = [], oldest = 0, lacks }: Cluster, asked: URLSearchParams): CloudReply {
  const verb = asked.has('watch') ? 'watch' : 'list';
  if (lacks === `${verb} events`) return { status: 403, body: { kind: 'Status', reason: 'Forbidden' } };
  const version = String(events.length);
  if (verb === 'list')
    return { body: { kind: 'EventList', apiVersion: 'v1', metadata: { resourceVersion: version }, items: events } };
  const since = Number(asked.get('resourceVersion'));
  const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } };
  const bookmark = { type: 'BOOKMARK', object: { kind: 'Event', metadata: { resourceVersion: version } } };
  const added = events.slice(since).map((object) => ({ type: 'ADDED', object }));
  const lines = since < oldest ? [gone] : [...added, bookmark];
  return { body: lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
}

/** An API server as it answers on the wire: typed lists, items without kind, two items a page. */
async function apiServer(cluster: Cluster, token: string | null = 't0ken', tls?: { cert: string; key: string }) {
  const page = ({ url }: { url: string }): CloudReply => {
    const { pathname, searchParams } = new URL(url, 'http://api');
    const [, what] =
      /^\/apis?\/(?:apps\/)?v1\/(?:namespaces\/a\/)?(nodes|pods|events|replicasets)$/.exec(pathname) ?? [];
    if (what === undefined) return { status: 404, body: { kind: 'Status', reason: 'NotFound' } };
    if (what === 'events') return eventsOf(cluster, searchParams);
    const items = cluster[what as 'nodes' | 'pods' | 'replicasets'];
    if (!items) return { status: 403, body: { kind: 'Status', reason: 'Forbidden' } };
    const from = Number(searchParams.get('continue') ?? 0);
    const more = from + 2 < items.length ? { continue: String(from + 2) } : {};
    const kind = { nodes: 'NodeList', pods: 'PodList' }[what] ?? 'ReplicaSetList';
    const shown = items.slice(from, from + 2).map(({ kind: _, apiVersion: __, ...item }) => item);
    return { body: { kind, apiVersion: 'v1', metadata: { resourceVersion: '9', ...more }, items: shown } };
  };
  return cloudService(
    (request) =>
      token === null || request.headers.authorization === `Bearer ${token}`
        ? page(request)
        : { status: 401, body: { kind: 'Status', reason: 'Unauthorized' } },
    tls,
  );
}

const planOf = (settings: object) =>
  kubernetesFeed.plan.parse({ kind: 'kubernetes', every_s: 5, timeout_s: 1, ...settings });
const withToken = (url: string, more: object = {}) => planOf({ url, token: 'env:TEST_KUBE_TOKEN', ...more });
const up = ({ states: reportedTexts }: FeedRun) => reportedTexts.some(({ state }) => state === 'up');
const edgesOf = ({ reading }: FeedRun) =>
  reading.rows.edge.map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`).sort();

describe('nodes and pods of a cluster', () => {
  test('equal the rows of imported kubectl output, page by page, changes once', async () => {
    const pods = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => pod(name, 'n1'));
    const nodes = [node('n1'), node('n2')];
    const cluster = { nodes, pods };
    const { url, requests } = await apiServer(cluster);
    const run = await runFeed(kubernetesFeed.open(withToken(url)), async (one) => {
      await one.until(up);
      cluster.nodes[1] = node('n2', 'Unknown');
      await one.until(({ reading }) => reading.rows.event.length > 2, 15_000);
    });
    const document = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: [...nodes.slice(0, 1), node('n2'), ...pods],
    });
    const wanted = await readSource(kubernetes, { 'cluster.json': document }, { name: 'cluster' });
    expect([...new Set(edgesOf(run))]).toEqual(
      wanted.rows.edge
        .map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`)
        .sort()
        .filter((edge, at, all) => all.indexOf(edge) === at),
    );
    expect(run.reading.rows.event.map(({ type, entity }) => `${type} ${entity}`)).toEqual([
      'node_ready node:n1',
      'node_ready node:n2',
      'node_not_ready node:n2',
    ]);
    expect(run.states).toEqual([{ state: 'up', reason: '2 nodes and 5 pods, with events' }]);
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(requests[0]?.url).toBe('/api/v1/nodes?limit=500');
  });

  test('owners of pods are listed once, and only those that pods name', async () => {
    const owner = (kind: string, name: string) => ({ kind, name, uid: `uid-${name}`, controller: true });
    const owned = (object: Json, by: object): Json => ({
      ...object,
      metadata: { ...(object['metadata'] as Json), ownerReferences: [by] },
    });
    const set = (name: string): Json =>
      owned({ metadata: { name, namespace: 'a', uid: `uid-${name}` } }, owner('Deployment', 'llama'));
    const pods = [
      owned(pod('p1', 'n1'), owner('ReplicaSet', 'llama-7')),
      owned(pod('p2', 'n1'), owner('Job', 'train')),
    ];
    const { url, requests } = await apiServer({
      nodes: [node('n1')],
      pods,
      replicasets: [set('llama-6'), set('llama-7')],
    });
    const polls = () => requests.filter(({ url: path }) => path.startsWith('/api/v1/pods')).length;
    const run = await runFeed(kubernetesFeed.open(withToken(url)), (one) => one.until(() => polls() > 1, 15_000));
    expect(edgesOf(run)).toContain('job:a/llama-7 member_of job:a/llama');
    expect(edgesOf(run).join()).not.toContain('llama-6');
    const asked = requests.map(({ url: path }) => path).filter((path) => path.startsWith('/apis/'));
    expect(asked).toEqual(['/apis/apps/v1/replicasets?limit=500', '/apis/batch/v1/jobs?limit=500']);
    expect(run.states[0]?.state).toBe('up');
  });

  test('recorded lists are read unchanged', async () => {
    const recorded = sharedData('k8s/troubleshoot/nodes.json');
    const nodes = fixture(recorded).items;
    const pods = fixture(join(import.meta.dirname, '../../fixtures/kubernetes/pods.json')).items;
    const { url } = await apiServer({ nodes, pods }, null);
    const run = await runFeed(kubernetesFeed.open(planOf({ url, namespace: 'a' })), (one) => one.until(up));
    expect(run.states[0]?.reason).toBe(`${nodes.length} nodes and ${pods.length} pods, with events`);
    expect([...run.reading.entities.keys()].filter((key) => key.startsWith('node:')).length).toBeGreaterThanOrEqual(
      nodes.length,
    );
    expect(edgesOf(run)).toContainEqual(expect.stringMatching(/^pod:\S+ runs_on node:minikube$/));
    expect(run.reading.rows.reject).toEqual([]);
  });

  test.each<[string, CloudReply, RegExp]>([
    ['a token that is refused', { status: 401, body: { reason: 'Unauthorized' } }, /not accepted|may not/],
    ['a user who may not list', { status: 403, body: { reason: 'Forbidden' } }, /have no permission to read that/],
    ['trouble of its own', { status: 500, body: { reason: 'InternalError' } }, /it answered 500/],
    ['something else', { body: { kind: 'Pod' } }, /no Kubernetes list/],
    ['garbage', { body: 'hello' }, /no Kubernetes list/],
    ['silence', { body: {}, delay_ms: 3000 }, /in time/],
  ])('%s is reported, and ends no feed', async (_, reply, reason) => {
    const { url } = await cloudService(() => reply);
    const run = await runFeed(kubernetesFeed.open(withToken(url)), async (one) => {
      await one.until(({ states: reported }) => reported.length > 0);
      await pause(100);
    });
    expect(run.states).toEqual([{ state: 'down', reason: expect.stringMatching(reason) }]);
    expect(JSON.stringify(run.states)).not.toContain('t0ken');
  });
});

describe('events', () => {
  const about = { kind: 'Pod', name: 'p1', uid: 'uid-p1' };
  const typesOf = ({ reading }: FeedRun) =>
    reading.rows.event.map(({ type, entity }) => `${type} ${entity}`).filter((text) => text.includes('pod:'));

  test('are listed once, then only what came since, also when the server has forgotten the version', async () => {
    const events = [event('e1', 'BackOff', about, 1)];
    const cluster: Cluster = { nodes: [], pods: [], events };
    const { url, requests } = await apiServer(cluster);
    const run = await runFeed(kubernetesFeed.open(withToken(url)), async (one) => {
      await one.until(up);
      events.push(event('e2', 'Evicted', about, 2), event('e3', 'Preempted', about, 3));
      await one.until((now) => typesOf(now).length === 3, 15_000);
      events.push(event('e4', 'FailedScheduling', about, 4));
      cluster.oldest = 4;
      await one.until((now) => typesOf(now).length === 4, 15_000);
    });
    expect(typesOf(run)).toEqual([
      'pod_failed pod:a/p1',
      'pod_evicted pod:a/p1',
      'pod_preempted pod:a/p1',
      'pod_unschedulable pod:a/p1',
    ]);
    const asked = requests.map(({ url: path }) => path).filter((path) => path.includes('/events'));
    expect(asked[0]).toBe('/api/v1/events?limit=500');
    expect(asked[1]).toContain('watch=1&resourceVersion=1&timeoutSeconds=1');
    expect(asked.at(-1)).toContain('limit=500');
  });

  test('need a right of their own, without which the feed goes on', async () => {
    const cluster: Cluster = { nodes: [node('n1')], pods: [], lacks: 'list events' };
    const { url } = await apiServer(cluster);
    const run = await runFeed(kubernetesFeed.open(withToken(url)), (one) => one.until(up));
    expect(run.states).toEqual([{ state: 'up', reason: '1 nodes and 0 pods; this user may not list events' }]);
    const off = await runFeed(kubernetesFeed.open(withToken(url, { events: false })), (one) => one.until(up));
    expect(off.states).toEqual([{ state: 'up', reason: '1 nodes and 0 pods' }]);
  });

  test('are listed again where they may not be watched', async () => {
    const events = [event('e1', 'BackOff', about, 1)];
    const { url } = await apiServer({ nodes: [], pods: [], events, lacks: 'watch events' });
    const run = await runFeed(kubernetesFeed.open(withToken(url)), async (one) => {
      await one.until(up);
      events.push(event('e2', 'Evicted', about, 2));
      await one.until((now) => typesOf(now).length === 2, 15_000);
    });
    expect(typesOf(run)).toEqual(['pod_failed pod:a/p1', 'pod_evicted pod:a/p1']);
  });
});

/** A kubeconfig as kubectl writes it. */
async function kubeconfig(
  server: string,
  { user = {}, cluster = {} }: { user?: object; cluster?: object } = {},
): Promise<string> {
  const path = join(await temporaryFolder(), 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user: { token: 't0ken', ...user } }],
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(config));
  return path;
}

describe('a kubeconfig', () => {
  const cluster = { nodes: [node('n1')], pods: [pod('p1', 'n1')] };

  test('gives address and user, also from the environment', async () => {
    const { url } = await apiServer(cluster);
    const path = await kubeconfig(url);
    const run = await runFeed(kubernetesFeed.open(planOf({ kubeconfig: path })), (one) => one.until(up));
    expect(edgesOf(run)).toContain('pod:a/p1 runs_on node:n1');
    process.env['KUBECONFIG'] = `/nowhere/else:${path}`;
    try {
      await runFeed(kubernetesFeed.open(planOf({ context: 'prod' })), (one) => one.until(up));
      await expect(runFeed(kubernetesFeed.open(planOf({ context: 'test' })), (one) => one.until(up))).rejects.toThrow(
        /no context test/,
      );
    } finally {
      delete process.env['KUBECONFIG'];
    }
  });

  test('that requires a program is refused, and so is none at all', async () => {
    const path = await kubeconfig('http://127.0.0.1:1', { user: { exec: { command: 'aws' } } });
    await expect(runFeed(kubernetesFeed.open(planOf({ kubeconfig: path })), (one) => one.until(up))).rejects.toThrow(
      /running a program/,
    );
    await expect(runFeed(kubernetesFeed.open(planOf({})), (one) => one.until(up))).rejects.toThrow(/no kubeconfig/);
  });

  test.skipIf(!hasOpenssl())('with its own authority is trusted, and no other is', async () => {
    const folder = await temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const options =
      '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=api -addext subjectAltName=IP:127.0.0.1';
    execFileSync('openssl', ['req', ...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    const { url } = await apiServer(cluster, 't0ken', tls);
    const known = await kubeconfig(url, { cluster: { 'certificate-authority': cert } });
    await runFeed(kubernetesFeed.open(planOf({ kubeconfig: known })), (one) => one.until(up));
    const inside = await kubeconfig(url, {
      cluster: { 'certificate-authority-data': Buffer.from(tls.cert).toString('base64') },
    });
    await runFeed(kubernetesFeed.open(planOf({ kubeconfig: inside })), (one) => one.until(up));
    const unknown = await runFeed(kubernetesFeed.open(planOf({ kubeconfig: await kubeconfig(url) })), (one) =>
      one.until(({ states: reported }) => reported.length > 0),
    );
    expect(unknown.states).toEqual([{ state: 'down', reason: expect.stringMatching(/certificate/) }]);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('the connection is tested step by step', async () => {
  const steps = async (settings: object) => {
    const all: FeedCheck[] = [];
    for await (const check of kubernetesFeed.test(planOf(settings), new AbortController().signal)) all.push(check);
    return all.map(({ step, passed }) => `${passed ? '' : '!'}${step}`).join(' ');
  };
  const { url } = await apiServer({ nodes: [node('n1')], pods: [] });
  expect(await steps({ url, token: 'env:TEST_KUBE_TOKEN' })).toBe('secret port auth view values');
  expect(await steps({ url })).toBe('secret port !auth');
  expect(await steps({ url, token: 'env:NOBODY_SET_THIS' })).toBe('!secret');
  const denied = await cloudService(() => ({ status: 403, body: { reason: 'Forbidden' } }));
  expect(await steps({ url: denied.url, token: 'env:TEST_KUBE_TOKEN' })).toBe('secret port !view');
  expect(await steps({ kubeconfig: '/nowhere' })).toBe('!secret');
});
