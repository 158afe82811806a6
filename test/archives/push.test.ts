import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { IncidentView } from '../../src/model/contract/index.ts';
import { hypothesisKey } from '../../src/model/incident/annotation.ts';
import { readLink } from '../../src/renderer/state/link.ts';
import { pullingCore } from '../support/archive-pull.ts';
import { clickhouse, hasClickHouse, run } from '../support/clickhouse.ts';
import { faultlineHere } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { demoCase } from '../support/demo-case.ts';

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
    const file = join(folder, 'fleet.yaml');
    const plan = `kind: clickhouse\nurl: ${url}\ndatabase: fleet\nrequests_per_s: 1000\n`;
    await writeFile(file, plan);
    await demoCase(folder);
    const path = join(folder, 'demo.faultline');
    const core = await pullingCore(path);
    const { api } = core;

    await expect(api['fleet.push']({ plan })).rejects.toMatchObject({ problem: { code: 'fleet.no_tables' } });
    expect((await faultlineHere('archive', 'init', 'clickhouse', '--apply', file)).out).toContain('statements run');

    const [view] = await api['incidents.list']({});
    const { id, hypotheses } = view!.incident;
    const [first, second] = hypotheses;
    const common = { at_ns: null, until_ns: null, made_at_ns: 1n, incident: id };
    const judge = (one: typeof first, judgement: 'accepted' | 'rejected', annotation: string) => {
      const hypothesis = hypothesisKey(one!.subject, one!.type);
      return { kind: 'judgement', id: annotation, text: '', ...common, hypothesis, judgement } as const;
    };
    const action = { kind: 'action', ...common, owner: '', priority: '', due: '', ticket: '' } as const;
    await api['annotations.change']({
      put: [
        judge(first, 'rejected', 'a'),
        judge(second, 'accepted', 'b'),
        { kind: 'heading', id: 'c', text: 'It\'s "slow"\n\\', ...common, severity: 'SEV2', owner: 'ann' },
        { ...action, id: 'd', text: 'replace the feed', done: true },
        { ...action, id: 'e', text: 'alert on sags', done: false },
      ],
    });
    const findings = (await api['patterns.list']({})).findings.length;
    const incidents = (await api['incidents.list']({})).length;

    const counts = { incidents, findings, removed: 0, dashboard: null };
    for (let time = 0; time < 2; time++) expect(await api['fleet.push']({ plan })).toEqual(counts);
    // 10 minutes before the first of them.
    const earliest = (await api['incidents.list']({})).map((one) => one.onset_earliest_ns).sort()[0]!;
    const drawn = await api['fleet.push']({ plan: `${plan}grafana: https://grafana.example/ops/\n` });
    expect(drawn.dashboard).toMatch(
      new RegExp(
        `^https://grafana\\.example/ops/d/faultline-incidents\\?from=${earliest / 1_000_000n - 600_000n}&to=\\d+$`,
      ),
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
    const alone = await api['fleet.similar']({ plan, incident: id });
    expect(alone.incidents[0]?.past).toEqual([]);
    await run(url, earlier);
    const found = await api['fleet.similar']({ plan, incident: id });
    expect(found.incidents[0]?.past[0]).toMatchObject({
      case: 'last month',
      incident: `${id}-old`,
      start_ns: view!.onset_earliest_ns - 30n * day_ns,
      verdict: 'confirmed',
      likeness: 1,
      actions: [
        { text: 'replace the feed', done: true },
        { text: 'alert on sags', done: false },
      ],
    });
    expect(found.incidents[0]?.past[0]?.alike.slice(0, 2)).toEqual(['cause', 'patterns']);
    await expect(api['fleet.similar']({ plan, incident: 'inc_none' })).rejects.toMatchObject({
      problem: { code: 'incident.unknown' },
    });
    await core.close();
    const text = (await faultlineHere('fleet', file, 'similar', path)).out;
    expect(text).toContain('100 %');
    expect(text).toContain('done: replace the feed');
    await drawsIncidents(url, incidents, view!);

    // What a case does not conclude any more is removed, of its own time only.
    await run(
      url,
      "INSERT INTO fleet.faultline_incidents SELECT * REPLACE ('gone' AS Incident) FROM fleet.faultline_incidents FINAL WHERE Case = 'demo' LIMIT 1",
    );
    expect((await faultlineHere('push', path, file)).out).toBe(
      `pushed ${incidents} incidents and ${findings} findings; 1 that the case does not have any more were removed\n`,
    );
    expect(
      await rowsOf(url, 'SELECT toFloat64(count()) AS n FROM fleet.faultline_incidents FINAL WHERE Removed = 0'),
    ).toMatchObject([{ n: 2 * incidents }]);
  },
);

/** Each statement of the dashboard, as the plugin of Grafana sends it. */
async function drawsIncidents(url: string, incidents: number, view: IncidentView): Promise<void> {
  const printed = await faultlineHere('archive', 'init', 'clickhouse', '--database', 'fleet', '--grafana');
  const { panels, annotations } = JSON.parse(printed.out) as {
    panels: { title: string; targets: { rawSql: string }[] }[];
    annotations: { list: { target: { rawSql: string } }[] };
  };
  await run(
    url,
    "INSERT INTO fleet.otel_metrics_sum (MetricName, TimeUnix, Value, ResourceAttributes) VALUES ('gpu.throttle.power', now64(9), 7, map())",
  );
  const rows = async (sql: string) =>
    rowsOf(
      url,
      sql
        .replaceAll(/\$__timeFilter\((\w+)\)/g, "$1 > '2000-01-01'")
        .replaceAll(/\$__timeInterval\((\w+)\)/g, 'toStartOfHour($1)'),
    );
  const drawn: Record<string, number> = {};
  for (const { title, targets } of panels) drawn[title] = (await rows(targets[0]!.rawSql)).length;
  expect(drawn).toMatchObject({ Incidents: 2 * incidents, 'Chains, the root cause first': 2 * incidents });
  expect(Object.values(drawn).every((count) => count > 0)).toBe(true);
  await linksIntoCases(rows, view);
  const marks = await rows(annotations.list[0]!.target.rawSql);
  expect(marks).toHaveLength(2 * incidents);
  expect(marks[0]).toMatchObject({ time: expect.any(String), title: expect.any(String) });
}

/** The address of a row, as its link in the table has it: the window reads the incident, the time and the cause from it. */
async function linksIntoCases(
  rows: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  { incident, onset_earliest_ns }: IncidentView,
): Promise<void> {
  const init = ['archive', 'init', 'clickhouse', '--database', 'fleet', '--grafana'];
  const printed = await faultlineHere(...init, '--links', 'http://127.0.0.1:8090/');
  const { panels, uid } = JSON.parse(printed.out) as {
    uid: string;
    panels: { fieldConfig: { overrides: unknown[] }; targets: { rawSql: string }[] }[];
  };
  expect(uid).toBe('faultline-incidents');
  const own = (await rows(panels[0]!.targets[0]!.rawSql)).find(
    (row) => row['Incident'] === incident.id && row['Case'] === 'demo',
  );
  const address = new URL(String(own?.['Link']));
  expect([address.origin, address.pathname]).toEqual(['http://127.0.0.1:8090', '/']);
  const [, second] = incident.hypotheses;
  expect(readLink(address.search)).toEqual({
    case: 'demo',
    view: 'causes',
    incident: incident.id,
    entity: `${second!.subject!.kind}:${second!.subject!.id}`,
    time: (onset_earliest_ns / 1_000_000_000n) * 1_000_000_000n,
  });
  expect(JSON.stringify(panels[0]!.fieldConfig.overrides)).toContain('{__data.fields.Link}');
  expect((await faultlineHere(...init, '--links', 'javascript:alert(1)')).code).toBe(2);
}
