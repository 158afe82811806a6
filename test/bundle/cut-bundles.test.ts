import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readBundle } from '../../src/main/bundle/read-bundle.ts';
import type { IncidentView } from '../../src/model/contract/index.ts';
import { exported, incidentCase, membersOf, opened } from './bundle-case.ts';

const ranks = (views: readonly IncidentView[]) =>
  views.map(({ incident }) => ({
    id: incident.id,
    chain: incident.causal_chain.map(({ type, device_id, timestamp }) => [type, device_id, timestamp]),
    hypotheses: incident.hypotheses
      .slice(0, 3)
      .map(({ type, subject, probability }) => [type, subject, probability.toFixed(2)]),
  }));

test('a cut by time keeps the evidence of its incidents, and is marked as a cut in manifest and report', async () => {
  const core = await incidentCase('pdu-sag');
  const all = await core.api['incidents.list']({});
  const [first] = all as [IncidentView];
  const cut = { from_ns: first.start_ns, to_ns: first.end_ns, entities: null };
  const { path, changed, rows } = await exported(core, { cut });
  const whole = await exported(core);
  expect(changed).toEqual([]);
  expect(rows).toBeLessThanOrEqual(whole.rows);
  const there = await opened(path);
  const inside = all.filter(({ start_ns, end_ns }) => end_ns >= cut.from_ns && start_ns <= cut.to_ns);
  expect(ranks(await there.api['incidents.list']({}))).toEqual(ranks(inside));
  const { manifest, differences } = await readBundle(path, {
    key: null,
    signal: new AbortController().signal,
    unpackTo: null,
  });
  expect(differences).toEqual([]);
  expect(manifest.excerpt).toMatchObject({ from_ns: String(cut.from_ns), entities: null, redacted: false });
  const report =
    membersOf(await readFile(path))
      .find(({ name }) => name === 'report.md')
      ?.content.toString() ?? '';
  expect(report).toContain('This case is not the whole recording: this is a cut');
  expect((await there.api['report.render']({})).text).toBe(report);
});

test('rows outside are left out, and what is counted is counted anew', async () => {
  const core = await incidentCase('pdu-sag');
  const { last_ns } = (await core.api['case.current']({})) as { last_ns: bigint };
  // Nothing happened then: no incident widens it.
  const cut = { from_ns: last_ns - 1_000_000_000n, to_ns: null, entities: null };
  const preview = await core.api['bundle.preview']({ cut });
  const { path } = await exported(core, { cut });
  const there = await opened(path);
  const counted = await there.api['query.sql']({
    sql: 'select count(*) as n from metrics',
  });
  expect(counted.rows[0]?.[0]).toBe(preview.rows.point);
  expect(preview.rows.point).toBeLessThan(preview.rows_of_case.point!);
  const summary = await there.api['case.current']({});
  expect(summary?.rows.point ?? 0).toBe(preview.rows.point);
  // Nobody may take what was left out for a time in which nothing happened.
  expect(summary?.first_ns).toBeGreaterThanOrEqual(cut.from_ns);
  expect(summary?.last_ns).toBe(last_ns);
});

test('a cut by entities keeps linked entities, and refuses unknown names', async () => {
  const core = await incidentCase('pdu-sag');
  const [first] = (await core.api['incidents.list']({})) as [IncidentView];
  const cut = { from_ns: null, to_ns: null, entities: [`service:${first.service}`] };
  const { path, changed } = await exported(core, { cut });
  const there = await opened(path);
  const found = await there.api['incidents.list']({});
  if (changed.length === 0) expect(ranks(found).map(({ id }) => id)).toContain(first.incident.id);
  expect(found.map(({ service }) => service)).toContain(first.service);
  await expect(exported(core, { cut: { ...cut, entities: ['nobody'] } })).rejects.toMatchObject({
    problem: { code: 'bundle.unknown_entity' },
  });
  await expect(exported(core, { cut: { from_ns: 5n, to_ns: 4n, entities: null } })).rejects.toMatchObject({
    problem: { code: 'bundle.empty_cut' },
  });
});
