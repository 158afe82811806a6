import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hypothesisKey } from '../../src/model/incident/annotation.ts';
import { pullingCore } from '../support/archive-pull.ts';
import { clickhouse, hasClickHouse, run } from '../support/clickhouse.ts';
import { faultlineHere } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';

const rowsOf = async (url: string, sql: string): Promise<readonly Record<string, unknown>[]> =>
  (JSON.parse(await run(url, `${sql} FORMAT JSON`)) as { data: Record<string, unknown>[] }).data;

const day_ns = 86_400_000_000_000n;

/** The same incidents a month earlier, as another case pushed them. */
const earlier = `INSERT INTO fleet.faultline_incidents
  SELECT * REPLACE ('last month' AS Case, concat(Incident, '-old') AS Incident, Start - toIntervalDay(30) AS Start, End - toIntervalDay(30) AS End)
  FROM fleet.faultline_incidents FINAL`;

test.skipIf(!hasClickHouse())(
  'verdicts and findings of a case are pushed once, judgements first, and found again beside a like incident',
  async () => {
    const url = await clickhouse();
    const folder = await temporaryFolder();
    const plan = join(folder, 'fleet.yaml');
    await writeFile(plan, `kind: clickhouse\nurl: ${url}\ndatabase: fleet\nrequests_per_s: 1000\n`);
    const demo = await faultlineHere('demo', '--dir', folder);
    expect(demo.code).toBe(0);
    const path = join(folder, 'demo.faultline');

    const without = await faultlineHere('push', path, plan);
    expect([without.code, without.err]).toEqual([1, expect.stringMatching(/no tables of incidents[\s\S]*--apply/)]);
    expect((await faultlineHere('archive', 'init', 'clickhouse', '--apply', plan)).out).toContain('statements run');

    const core = await pullingCore(path);
    const [view] = await core.api['incidents.list']({});
    const { id, hypotheses } = view!.incident;
    const [first, second] = hypotheses;
    const common = { at_ns: null, until_ns: null, made_at_ns: 1n, incident: id };
    const judge = (one: typeof first, judgement: 'accepted' | 'rejected', annotation: string) =>
      ({
        kind: 'judgement',
        id: annotation,
        text: '',
        ...common,
        hypothesis: hypothesisKey(one!.subject, one!.type),
        judgement,
      }) as const;
    const action = { kind: 'action', ...common, owner: '', priority: '', due: '', ticket: '' } as const;
    await core.api['annotations.change']({
      put: [
        judge(first, 'rejected', 'a'),
        judge(second, 'accepted', 'b'),
        { kind: 'heading', id: 'c', text: 'It\'s "slow"\n\\', ...common, severity: 'SEV2', owner: 'ann' },
        { ...action, id: 'd', text: 'replace the feed', done: true },
        { ...action, id: 'e', text: 'alert on sags', done: false },
      ],
    });
    const findings = (await core.api['patterns.list']({})).findings.length;
    const incidents = (await core.api['incidents.list']({})).length;
    await core.close();

    for (let time = 0; time < 2; time++)
      expect((await faultlineHere('push', path, plan)).out).toBe(
        `pushed ${incidents} incidents and ${findings} findings\n`,
      );
    const pushed = await rowsOf(url, 'SELECT * FROM fleet.faultline_incidents FINAL ORDER BY Start');
    expect(pushed).toHaveLength(incidents);
    expect(await rowsOf(url, 'SELECT toFloat64(count()) AS n FROM fleet.faultline_findings FINAL')).toMatchObject([
      { n: findings },
    ]);
    expect(pushed.find((one) => one['Incident'] === id)).toMatchObject({
      Case: 'demo',
      Verdict: 'confirmed',
      Cause: hypothesisKey(second!.subject, second!.type),
      RuledOut: [hypothesisKey(first!.subject, first!.type)],
      Title: 'It\'s "slow"\n\\',
      Actions: ['replace the feed', 'alert on sags'],
      Done: ['replace the feed'],
    });

    // Of itself there is nothing to learn.
    const alone = JSON.parse((await faultlineHere('fleet', plan, 'similar', path, '--incident', id, '--json')).out);
    expect(alone.incidents[0].past).toEqual([]);
    await run(url, earlier);
    const found = JSON.parse((await faultlineHere('fleet', plan, 'similar', path, '--incident', id, '--json')).out);
    expect(found.incidents[0].past[0]).toMatchObject({
      case: 'last month',
      incident: `${id}-old`,
      start_ns: String(view!.onset_earliest_ns - 30n * day_ns),
      verdict: 'confirmed',
      likeness: 1,
      actions: [
        { text: 'replace the feed', done: true },
        { text: 'alert on sags', done: false },
      ],
    });
    expect(found.incidents[0].past[0].alike.slice(0, 2)).toEqual(['cause', 'patterns']);
    const text = (await faultlineHere('fleet', plan, 'similar', path)).out;
    expect(text).toContain('100 %');
    expect(text).toContain('done: replace the feed');

    // What a case does not conclude any more is removed, of its own time only.
    await run(
      url,
      "INSERT INTO fleet.faultline_incidents SELECT * REPLACE ('gone' AS Incident) FROM fleet.faultline_incidents FINAL WHERE Case = 'demo' LIMIT 1",
    );
    expect((await faultlineHere('push', path, plan)).out).toContain(
      '1 that the case does not have any more were removed',
    );
    expect(
      await rowsOf(url, 'SELECT toFloat64(count()) AS n FROM fleet.faultline_incidents FINAL WHERE Removed = 0'),
    ).toMatchObject([{ n: 2 * incidents }]);
    expect((await faultlineHere('fleet', plan, 'similar', path, '--incident', 'inc_none')).code).toBe(1);
  },
  300_000,
);
