import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { baseline, correlator } from '../../bench/corpus/answer.ts';
import { catalog } from '../../bench/corpus/catalog.ts';
import { writeFiles } from '../../bench/corpus/files.ts';
import { generateIncident } from '../../bench/corpus/generate.ts';
import { families, jobFamilies, variants } from '../../bench/corpus/label.ts';
import { openCase } from '../../bench/corpus/rows.ts';
import { runCorpus } from '../../bench/corpus/run.ts';
import { judge } from '../../bench/corpus/score.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const entries = catalog();
const entry = (id: string) => {
  const found = entries.find((one) => one.id === id);
  if (!found) throw new Error(`no incident ${id}`);
  return found;
};

test('every family is in both splits, easy and hard, and every difficulty occurs', () => {
  expect(entries.length).toBeGreaterThanOrEqual(400);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  for (const family of families)
    for (const split of ['tune', 'test'])
      for (const hard of [false, true])
        expect(entries.filter((one) => one.family === family && one.split === split && one.hard === hard).length).toBe(
          ['bad_deploy', 'traffic_surge', 'healthy'].includes(family) ? 10 : 5,
        );
  for (const variant of variants)
    expect(
      entries.some((one) => one.variants.includes(variant)),
      variant,
    ).toBe(true);
});

test('the same entry gives the same incident; labels refer to what was recorded', () => {
  for (const one of entries.filter(({ split }) => split !== 'train').filter((_, i) => i % 7 === 0)) {
    const { label, recording } = generateIncident(one);
    if (one.seed % 3 === 0) expect(isDeepStrictEqual(generateIncident(one), { label, recording })).toBe(true);
    const events = new Map(recording.sources.flatMap(({ events }) => events.map((event) => [event.id, event])));
    const services = new Set(recording.edges.filter(({ from }) => from.kind === 'service').map(({ from }) => from.id));
    for (const id of [...label.chain.flat(), ...Object.keys(label.repeats)]) expect(events.has(id), id).toBe(true);
    for (const service of label.affected_services) expect(services).toContain(service);
    expect(label.affected_services.length > 0).toBe(label.family !== 'healthy');
    if (label.variants.includes('silent_root')) {
      expect(label.root_event_id).toBeNull();
      expect([...events.values()].filter(({ entity }) => entity.id === label.root?.id)).toEqual([]);
    }
    if (label.expected === 'insufficient_evidence') expect(label.withheld_layers.length).toBeGreaterThan(0);
    expect(label.root !== null).toBe(['device', 'insufficient_evidence'].includes(label.expected));
  }
});

test('an incident of each family of training jobs harms a job, but for one that is done', () => {
  for (const family of jobFamilies) {
    const first = catalog(undefined, true).find((one) => one.family === family)!;
    const { label, recording } = generateIncident(first);
    const jobs = recording.edges.flatMap(({ from, kind, to }) =>
      kind === 'member_of' && to.kind === 'job' ? [from.id.slice(0, from.id.indexOf('/'))] : [],
    );
    expect(
      label.affected_services.some((name) => jobs.includes(name)),
      family,
    ).toBe(family !== 'job_done');
  }
});

/** Gauges, histograms, spans; aliases, skew and a topology with times among them. */
const imported = ['pdu_sag-h-0', 'xid_79-e-0', 'bad_deploy-h-0', 'cooling_failure-e-2'] as const;

test.each(imported)('%s means the same when it comes by file', async (id) => {
  const { recording } = generateIncident(entry(id));
  const inMemory = await openCase(recording);
  const answers = await correlator(inMemory.reader);
  const counts = ['event', 'edge', 'point', 'distribution', 'span'].map(
    (table) => `select count(*)::integer n from ${table}`,
  );
  const sql = counts.join(' union all ');
  const rows = (await inMemory.session.query(sql)).columns[0];
  await inMemory.close();
  const core = await openTestCore();
  await core.import(await writeFiles(await temporaryFolder(), recording));
  const found = await core.api['query.sql']({ sql });
  expect(found.rows.map(([n]) => n)).toEqual(rows);
  const report = await core.api.correlate(correlateOptionsSchema.parse({}));
  const verdicts = report.incidents.map(({ affected_services, window_end, hypotheses }) => ({
    affected_services,
    window_end,
    hypotheses: hypotheses.map(({ subject, type, probability }) => ({ subject, type, probability })),
  }));
  expect(verdicts).toEqual(
    answers.map(({ conclusion: { incident } }) => ({
      affected_services: incident.affected_services,
      window_end: incident.window_end,
      hypotheses: incident.hypotheses.map(({ subject, type, probability }) => ({ subject, type, probability })),
    })),
  );
});

test('the corpus is put before an engine, and every incident is judged', async () => {
  const results = await runCorpus(baseline, { split: 'tune', family: 'psu_failure' });
  expect(results.map(({ label }) => label.id)).toEqual(
    entries.filter(({ family, split }) => family === 'psu_failure' && split === 'tune').map(({ id }) => id),
  );
  const verdicts = results.map(judge);
  expect(verdicts.some(({ rank }) => rank === 1)).toBe(true);
  expect(
    verdicts.every(({ rank, answer }) => rank >= 1 && (answer !== undefined || rank === Number.POSITIVE_INFINITY)),
  ).toBe(true);
});
