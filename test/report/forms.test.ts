import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reportDocumentSchema } from '../../src/model/incident/report-document.ts';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const rates =
  'version: 1\ncurrency: USD\nrates:\n  - {gpu: "*", per_gpu_hour: [2, 4], as_of: 2026-01-02, source: contract}\n';

async function sag(message = 'sag') {
  const core = await memoryCore();
  const events = [
    { ...event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'), raw_message: message },
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  ];
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  return core;
}

test('docs/report.schema.json is the schema of the JSON form, and the form keeps to it', async () => {
  const published = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/report.schema.json'), 'utf8'));
  const { title: _, description: __, ...schema } = published;
  expect(schema).toEqual(z.toJSONSchema(reportDocumentSchema));
  const core = await sag();
  const { text, name } = await core.api['report.render']({ format: 'json', rates });
  expect(name).toBe('test-post-mortem.json');
  const parsed = reportDocumentSchema.strict().parse(JSON.parse(text));
  expect(parsed.costs[0]?.cost.total).not.toBeNull();
});

test('figures are well-formed SVG with words, in all forms, and nothing in them is fetched or run', async () => {
  const core = await sag('</text><script>alert(1)</script> & "quotes"');
  const { document } = await core.api['report.document']({});
  expect(document.figures.length).toBeGreaterThan(1);
  for (const { id, svg, description } of document.figures) {
    expect(svg).toMatch(new RegExp(`<title id="${id}-t">[^<]+</title>\\n<desc id="${id}-d">[^<]+</desc>`));
    expect(description.length).toBeGreaterThan(20);
    expect(svg).not.toMatch(/<script|href=|url\(|@import|NaN|undefined/);
    expect(unclosed(svg)).toEqual([]);
  }
  const rendered = await core.api['report.render']({ figures: 'files' });
  const named = [...rendered.text.matchAll(/!\[[^\]]*\]\(report\.assets\/([^)]+)\)/g)].map((match) => match[1]);
  expect(named).toEqual(rendered.assets.map(({ name }) => name));
  expect(named.length).toBe(document.figures.length);
  const within = await core.api['report.render']({ figures: 'data' });
  expect(within.assets).toEqual([]);
  const [, data = ''] = /!\[[^\]]*\]\(data:image\/svg\+xml,([^)\s]+)\)/.exec(within.text) ?? [];
  expect(decodeURIComponent(data)).toBe(document.figures[0]?.svg);
});

/** Elements that begin and never end, or end and never began. */
function unclosed(svg: string): string[] {
  const open: string[] = [];
  for (const [, end, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)((?:[^"<>]|"[^"<]*")*)>/g)) {
    if (end) {
      if (open.pop() !== name) return [`</${name}>`];
    } else if (!rest.endsWith('/')) open.push(name);
  }
  return open;
}

test('HTML opens offline: no script, a policy that forbids everything, evidence that the keyboard reaches', async () => {
  const core = await sag('<img src=x onerror=alert(1)>');
  const { text } = await core.api['report.render']({ format: 'html' });
  expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(text).not.toMatch(/<script|<img|<link|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  const cited = [...text.matchAll(/<a href="#([^"]+)" aria-describedby="(c\d+)">/g)];
  expect(cited.length).toBeGreaterThan(20);
  for (const [, , id] of cited) expect(text).toContain(`role="tooltip" id="${id}"`);
  const places = new Set([...text.matchAll(/id="([^"]+)"/g)].map((match) => match[1]));
  expect(cited.filter(([, target]) => !places.has(target))).toEqual([]);
});

test('a template is filled in, and a name that no report has is one clear line', async () => {
  const core = await sag();
  const filled = await core.api['report.render']({
    template: '# Ours: {{case}}\n\n{{ summary }}\n\n{{gaps}}--\n\n{{actions}}\n',
  });
  expect(filled.text).toMatch(/^# Ours: test\n\ninference was degraded for /);
  expect(filled.text).toContain('\n--\n');
  expect(filled.text).not.toContain('{{');
  await expect(core.api['report.render']({ template: 'x {{sumary}}' })).rejects.toThrow(
    'unknown block {{sumary}} in the template',
  );
  const page = await core.api['report.render']({ format: 'html', template: '{{summary}}' });
  expect(page.text).toContain('inference was degraded for');
  expect(page.text).not.toContain('Method and versions');
});

test('Grafana gets whole milliseconds, a region for the impact and a moment for each step', async () => {
  const core = await sag('<b>x</b>');
  const annotations = JSON.parse((await core.api['report.render']({ format: 'grafana' })).text);
  const [incident] = await core.api['incidents.list']({});
  expect(annotations).toHaveLength(1 + (incident?.incident.causal_chain.length ?? 0));
  expect(annotations[0]).toMatchObject({
    time: Number((incident?.onset_ns ?? 0n) / 1_000_000n),
    timeEnd: Number((incident?.end_ns ?? 0n) / 1_000_000n),
    tags: ['faultline', incident?.incident.id, 'incident'],
  });
  for (const { time, text } of annotations) {
    expect(Number.isInteger(time)).toBe(true);
    expect(text).not.toContain('<');
  }
});

test('with rates the report has a range, and the origin of the price; without, unknown', async () => {
  const core = await sag();
  const without = (await core.api['report.render']({})).text;
  expect(without).toContain('**Cost:** unknown (no GPU rate was given).');
  const { text } = await core.api['report.render']({ rates });
  expect(text).toMatch(/\*\*Cost:\*\* [\d.]+ to [\d.]+ USD\./);
  expect(text).toContain('contract, 2026-01-02');
  const [own] = await core.api['incidents.costs']({ rates });
  expect(own?.cost.total?.high).toBeGreaterThan(own?.cost.total?.low ?? Number.POSITIVE_INFINITY);
});
