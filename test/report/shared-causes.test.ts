import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedCore } from '../support/core.ts';
import { event, service } from '../support/scenario.ts';

const services = ['chat', 'search', 'ranker', 'embed', 'tts', 'vision'];
const machine = (i: number): string => `gx-${i + 1}`;

/** A UPS transfers its load, the PDU behind it sags, each machine moves to its other supply, and six services suffer. */
const upsCase = sharedCore(async (core, folder) => {
  const links = services.flatMap((name, i) => [
    `pdu,PDU-A,feeds,server,${machine(i)}`,
    `service,${name},runs_on,server,${machine(i)}`,
  ]);
  const file = join(folder, 'topology.csv');
  await writeFile(file, `from_kind,from_id,edge,to_kind,to_id\nups,UPS-1,feeds,pdu,PDU-A\n${links.join('\n')}\n`);
  await core.import([file]);
  const events = [
    event('u', 688, 'ups', 'ups_transfer', 'UPS-1', 'critical'),
    event('p', 689, 'pdu_snmp', 'voltage_sag', 'PDU-A', 'critical'),
    ...services.flatMap((_, i) => [
      event(`f${i}`, 690 + 0.1 * i, 'redfish', 'psu_failover', machine(i), 'high'),
      event(`c${i}`, 691 + 0.1 * i, 'redfish', 'cpu_power_cap', machine(i), 'high'),
    ]),
  ];
  await core.importJson({ events }, ...services.map((name) => ({ service_metrics: service(name) })));
});

test('six services that suffer from one UPS are one incident: its chain and evidence are written once', async () => {
  const core = upsCase();
  const { document } = await core.api['report.document']({});
  const of = (id: string) => document.sections.filter((section) => section.id === id);
  const once = ['summary', 'impact', 'root_cause', 'timeline', 'evidence', 'actions', 'lessons'];
  for (const id of once) expect(of(id), id).toHaveLength(1);
  expect(of('incidents')).toEqual([]);
  expect(JSON.stringify(of('summary'))).toContain('The same cause is named for 5 more: ');
  const tables = of('impact').flatMap(({ blocks }) => blocks.filter((one) => one.kind === 'table'));
  const affected = tables.find(({ head }) => head[0] === 'Service');
  expect(affected?.rows.map(({ cells: [name] }) => name).toSorted()).toEqual(services.toSorted());
  // They overlap because they are one.
  expect(JSON.stringify(of('questions'))).not.toContain('overlaps');
  const cited = new Set(
    document.sections.flatMap(({ blocks }) => blocks.flatMap((one) => (one.kind === 'figure' ? one.figure : []))),
  );
  expect(document.figures.filter(({ id }) => !cited.has(id))).toEqual([]);
  const { text } = await core.api['report.render']({});
  expect(text.split('\n').length).toBeLessThan(300);
});

test('what the investigator wrote about a later one of them stays in the report', async () => {
  const core = upsCase();
  const incidents = await core.api['incidents.list']({});
  const section = `${incidents.at(-1)!.incident.id}/timeline`;
  await core.api['annotations.change']({
    put: [
      {
        ...{ kind: 'prose', id: 'p1', text: 'Its canary had no second replica.', at_ns: null, until_ns: null },
        ...{ made_at_ns: 1n, section, facts: [] },
      },
    ],
  });
  const { document } = await core.api['report.document']({});
  expect(document.sections.find(({ key }) => key === section)?.prose?.text).toContain('no second replica');
  await core.api['annotations.change']({ remove: ['p1'] });
});

test('what no record states is asked for by name until somebody wrote it', async () => {
  const core = upsCase();
  const [first] = await core.api['incidents.list']({});
  const asked = async () => (await core.api['report.render']({})).text.match(/To be written: .*/g);
  expect(await asked()).toHaveLength(3);
  const section = `${first!.incident.id}/went_well`;
  await core.api['annotations.change']({
    put: [
      {
        ...{ kind: 'prose', id: 'p1', text: 'The second feed held.', at_ns: null, until_ns: null },
        ...{ made_at_ns: 1n, section, facts: [] },
      },
    ],
  });
  expect(await asked()).toHaveLength(2);
  expect((await core.api['report.render']({})).text).toContain('## What went well\n\nThe second feed held.');
  await core.api['annotations.change']({ remove: ['p1'] });
});

test('requests that an impact reached are counted from its measurements', async () => {
  const core = upsCase();
  const { document } = await core.api['report.document']({});
  const text = JSON.stringify(document.sections.filter(({ id }) => id === 'impact'));
  expect(text).toMatch(/about [\d.]+ (k )?requests, of which [\d.]+ (k )?failed \([\d.]+ %\)/);
});

test('the report of one of them is the report of their incident, and follows that one', async () => {
  const core = upsCase();
  const last = (await core.api['incidents.list']({})).at(-1)!;
  const { document } = await core.api['report.document']({ incident: last.incident.id });
  expect(document.incidents).toHaveLength(6);
  expect(document.sections.find(({ id }) => id === 'root_cause')?.incident).toBe(last.incident.id);
});
