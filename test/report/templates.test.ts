import { afterEach, describe, expect, test } from 'vitest';
import type { AnnotationOf } from '../../src/model/incident/annotation.ts';
import { memoryCore, sharedCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const common = { text: '', at_ns: null, until_ns: null, made_at_ns: 1n } as const;

/** A sag of the PDU of a service, and three machines at one rack that only look too warm. */
const shared = sharedCore(async (core) => {
  const events = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
    ...['server-1', 'server-2', 'server-3'].map((name, i) =>
      event(`t${i}`, 700 + i, 'redfish', 'temperature_high', name, 'medium'),
    ),
  ];
  const third = { physical_device_id: 'server-3', services: ['inference'] };
  const racks = topology.mappings.map((one) => ({ ...one, rack_id: 'rack-1' }));
  const mappings = [...racks, { ...third, rack_id: 'rack-1' }];
  await core.importJson({ events }, { service_metrics: service('inference') }, { mappings });
});

async function sag() {
  const [first] = await shared().api['incidents.list']({});
  return { core: shared(), incident: first!.incident.id };
}
/** What one test writes is gone before the next. */
afterEach(async () => {
  const annotations = await shared().api['annotations.list']({});
  await shared().api['annotations.change']({ remove: annotations.map(({ id }) => id) });
});

const heading = (incident: string, more: Partial<AnnotationOf<'heading'>>): AnnotationOf<'heading'> => ({
  ...common,
  ...{ kind: 'heading', id: 'h1', incident, severity: '', owner: '', public_name: '' },
  ...more,
});
const prose = (section: string, text: string): AnnotationOf<'prose'> => ({
  ...common,
  ...{ kind: 'prose', id: `p-${section.replaceAll(/[^A-Za-z0-9]/g, '-')}`, section, text, facts: [] },
});

test('an action follows from the root cause and strong findings, not from what only resembles a pattern', async () => {
  const { core } = await sag();
  const findings = await core.api['patterns.list']({});
  const cooling = findings.findings.find(({ pattern }) => pattern === 'cooling-failure');
  expect(cooling).toMatchObject({ verdict: 'partial', severity: 'medium' });
  const { document } = await core.api['report.document']({});
  const actions = document.sections.find(({ id }) => id === 'actions');
  const text = JSON.stringify(actions);
  expect(text).toContain('Ask facilities for the waveform and transfer log of the supply');
  for (const { text: advice } of cooling?.remediation ?? []) expect(text).not.toContain(advice);
  expect(text).toContain(
    `No action is proposed for what only resembles a pattern here, or is minor: ${cooling?.title}`,
  );
  // It stays among the patterns.
  expect(JSON.stringify(document.sections.find(({ id }) => id === 'patterns'))).toContain(cooling?.title);
});

describe('as a template', () => {
  const titles = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]!);

  test('the SRE book names trigger, resolution and detection, and asks the owner by name for what people know', async () => {
    const { core, incident } = await sag();
    await core.api['annotations.change']({ put: [heading(incident, { owner: 'ada' })] });
    const { text, name } = await core.api['report.render']({ layout: 'sre' });
    expect(name).toBe('test-sre.md');
    expect(titles(text)).toEqual(
      expect.arrayContaining(['Impact', 'Root causes', 'Trigger', 'Resolution', 'Detection', 'Where we got lucky']),
    );
    expect(text).toMatch(
      /## Trigger\n\nvoltage sag on PDU-B at 2026-01-10 12:11:30 UTC: voltage\\_sag on PDU-B\. \[E\d+]/,
    );
    expect(text).toContain('To be written by ada: what could have made it worse');
    // What a person wrote is asked no more, in each form.
    await core.api['annotations.change']({ put: [prose(`${incident}/lessons`, 'Test the second feed.')] });
    for (const layout of ['sre', 'blameless', 'whole'] as const) {
      const written = (await core.api['report.render']({ layout })).text;
      expect(written, layout).toContain('Test the second feed.');
      expect(written, layout).not.toContain('what do we know now');
    }
  });

  test('a blameless review lists what was recorded and noted, in order', async () => {
    const { core, incident } = await sag();
    const [view] = await core.api['incidents.list']({});
    const note = { ...common, kind: 'note', id: 'n', target: null, text: 'paged the vendor' } as const;
    await core.api['annotations.change']({ put: [{ ...note, at_ns: view!.onset_ns + 1_000_000_000n }] });
    const { text } = await core.api['report.render']({ layout: 'blameless', incident });
    const times = [...text.matchAll(/^\| (\d\d:\d\d:\d\d\S*) \| (.+?) \| /gm)].map((match) => match.slice(1));
    expect(times.map(([time]) => time)).toEqual(times.map(([time]) => time).toSorted());
    expect(times.map(([, what]) => what)).toContain('Note: paged the vendor');
  });

  test('customers read impact and times, and no name that was not released', async () => {
    const { core, incident } = await sag();
    const bare = await core.api['report.render']({ layout: 'customer' });
    expect(bare.text).toContain('One of our services was impaired from 2026-01-10 12:11 to 12:13 UTC');
    expect(bare.text).toContain('To be written: what ended the impact?');
    const entities = ['inference', 'PDU-B', 'server-1', 'GPU-A', 'embedding'];
    const file = `${bare.name}\n${bare.text}`;
    for (const one of [...entities, 'voltage', incident, '(#']) expect(file, one).not.toContain(one);
    expect(bare.leaks).toEqual([]);

    const cited = 'Power failed on [voltage sag on PDU-B](#event:1), which feeds server-10 and server-1.';
    await core.api['annotations.change']({
      put: [heading(incident, { public_name: 'Inference API' }), prose(`${incident}/customer_cause`, cited)],
    });
    const { text, leaks } = await core.api['report.render']({ layout: 'customer' });
    expect(text).toContain('# Incident of 2026-01-10: Inference API');
    expect(text).toContain('- **Inference API:** the slowest requests took 4 times as long as usual.');
    // People may write a name; they are told.
    expect(text).toContain('voltage sag on PDU-B, which feeds');
    expect(text).not.toContain('(#');
    expect(leaks).toEqual(['PDU-B', 'server-1']);
  });

  test('data has no template, and one without an incident states that', async () => {
    const { core } = await sag();
    await expect(core.api['report.render']({ layout: 'sre', format: 'json' })).rejects.toThrow(
      'a template is Markdown',
    );
    const calm = await memoryCore();
    await calm.importJson({ service_metrics: service('quiet', { onset: 2000 }) }, topology);
    for (const layout of ['sre', 'blameless', 'customer', 'rma'] as const)
      expect((await calm.api['report.render']({ layout })).text, layout).toMatch(/No (service|impact|failure)/);
  });
});
