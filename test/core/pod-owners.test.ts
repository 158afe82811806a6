import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const owned = (kind: string, name: string, ...[ownerKind, owner]: string[]) => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    namespace: 'ml',
    name,
    ownerReferences: owner === undefined ? [] : [{ kind: ownerKind, name: owner, uid: 'd992c1a5', controller: true }],
  },
});
/** A set of two pods behind a leader (LeaderWorkerSet), a Deployment, and a pod that nobody recorded the owner of. */
const objects = [
  owned('Pod', 'llama-0', 'StatefulSet', 'llama'),
  owned('StatefulSet', 'llama', 'LeaderWorkerSet', 'llama'),
  owned('Pod', 'llama-0-1', 'StatefulSet', 'llama-0'),
  owned('StatefulSet', 'llama-0', 'Pod', 'llama-0'),
  owned('Pod', 'chat-7d9f8c5b6d-x2x4z', 'ReplicaSet', 'chat-7d9f8c5b6d'),
  owned('ReplicaSet', 'chat-7d9f8c5b6d', 'Deployment', 'chat'),
];
const pods = ['llama-0', 'llama-0-1', 'chat-7d9f8c5b6d-x2x4z', 'other-0-1'];
const metrics = pods.map((pod) => `vllm:num_requests_waiting{namespace="ml",pod="${pod}"} 3 1767225600000\n`).join('');

const servicesOf = (files: Readonly<Record<string, string>>) => canonicalOf('service', files);

/** Entities of a kind, each with the one that it is. */
async function canonicalOf(kind: string, files: Readonly<Record<string, string>>): Promise<unknown[]> {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    const events = await core.import([join(folder, name)]);
    expect(events.filter(({ kind }) => kind === 'problem')).toEqual([]);
  }
  const { rows } = await core.api['query.sql']({
    sql: `select e.id, leader.id from canonical c join entity e using (entity_id)
          join entity leader on leader.entity_id = c.canonical_id where e.kind = '${kind}' order by e.id`,
  });
  return rows;
}

test('recorded owners of pods count before what the names of the pods suggest, in either order of the files', async () => {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const services = [
    ['chat', 'chat'],
    ['llama', 'llama'],
    ['llama-0', 'llama'],
    ['other-0', 'other-0'],
  ];
  expect(await servicesOf({ 'page.prom': metrics, 'objects.json': list })).toEqual(services);
  expect(await servicesOf({ 'objects.json': list, 'page.prom': metrics })).toEqual(services);
});

test('without recorded owners the names count', async () => {
  expect(await servicesOf({ 'page.prom': metrics })).toEqual([
    ['chat', 'chat'],
    ['llama', 'llama'],
    ['llama-0', 'llama-0'],
    ['other-0', 'other-0'],
  ]);
});

test('a pod without a namespace is the only pod of its name, and none where two namespaces have one', async () => {
  const bare = 'vllm:num_requests_waiting{pod="cache-0"} 3 1767225600000\n';
  const inSpaces = (...spaces: readonly string[]) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: spaces.map((namespace) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: 'cache-0' } })),
    });
  const podOf = async (...spaces: readonly string[]) =>
    await canonicalOf('pod', { 'page.prom': bare, 'objects.json': inSpaces(...spaces) });
  expect(await podOf('ml')).toEqual([
    ['cache-0', 'ml/cache-0'],
    ['ml/cache-0', 'ml/cache-0'],
  ]);
  expect(await podOf('ml', 'web')).toContainEqual(['cache-0', 'cache-0']);
});
