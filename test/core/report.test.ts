import { expect, test } from 'vitest';
import { openTestCore } from '../support/core.ts';
import { demoCore } from '../support/demo-core.ts';
import { event, service, topology } from '../support/scenario.ts';
import { sharedData } from '../support/shared-data.ts';

/** The evidence id behind each anchor of the appendix. */
const appendixOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/<a id="([^"]+)"><\/a>\*\*\[[ES]\d+\]\(#\1\)\*\* `([^`]+)`/g)].map((match) => [
      match[1]!,
      match[2]!,
    ]),
  );
const citations = (text: string): { ref: string | undefined; anchor: string }[] => {
  const appendix = appendixOf(text);
  return [...text.matchAll(/\[[ES]\d+\]\(#([^)]+)\)/g)].map((match) => ({
    ref: appendix.get(match[1]!),
    anchor: match[1]!,
  }));
};

test('every citation of the demo report resolves in its appendix and is evidence of the document, and twice is the same bytes', async () => {
  const core = await demoCore();
  const { text, name } = await core.api['report.render']({});
  expect(name).toBe('demo-post-mortem.md');
  const cited = citations(text);
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ ref }) => ref === undefined)).toEqual([]);
  expect(
    cited.every(({ anchor }) => /^[es]\d+$/.test(anchor)),
    'short, however long the evidence id is',
  ).toBe(true);
  // test/report/evidence-walk.test.ts opens each of them.
  const { document } = await core.api['report.document']({});
  const known = new Set<string | undefined>(document.evidence.map(({ ref }) => ref));
  expect(cited.filter(({ ref }) => !known.has(ref))).toEqual([]);
  expect((await core.api['report.render']({})).text).toBe(text);
  await core.close();
  const again = await openTestCore(core.path);
  expect((await again.api['report.render']({})).text).toBe(text);
});

test('a long report begins with a table of contents whose lines lead to headings', async () => {
  const core = await demoCore();
  const { text } = await core.api['report.render']({});
  const headings = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]!.replaceAll('\\', ''));
  const contents = [...text.matchAll(/^- \[(.+)\]\(#([^)]+)\)$/gm)];
  expect(contents.map((match) => match[1]!.replaceAll('\\', ''))).toEqual(headings);
  // As GitHub makes the fragment of a heading.
  const slugs = headings.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[:,.()]/g, '')
      .replaceAll(' ', '-'),
  );
  expect(contents.map((match) => match[2])).toEqual(slugs);
});

test('every factual line of an incident carries an evidence id', async () => {
  const core = await openTestCore();
  const events = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  ];
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  const { text } = await core.api['report.render']({});
  const [incident = ''] = text.split('## Data sources');
  const factual = incident
    .split('\n')
    .filter(
      (line) =>
        /^(\||\d+\.|The most probable|\w.*was degraded for| +- )/.test(line) &&
        !/^\| (---|Figure|Work|Step|Phase|Status|Action)/.test(line),
    );
  const uncited = factual.filter((line) => !/\]\(#/.test(line));
  expect(factual.length).toBeGreaterThan(10);
  expect(uncited).toEqual([]);
});

test('detection is the first alert about what was involved, not about any machine', async () => {
  const detection = async (...alerts: readonly ReturnType<typeof event>[]) => {
    const core = await openTestCore();
    const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
    await core.importJson({ events: [sag, ...alerts] }, { service_metrics: service('inference') }, topology);
    return /^\| Detection \|.*$/m.exec((await core.api['report.render']({})).text)?.[0];
  };
  const elsewhere = event('e2', 705, 'kubernetes', 'node_not_ready', 'server-77');
  const here = event('e3', 720, 'kubernetes', 'node_not_ready', 'server-1');
  expect(await detection(elsewhere)).toMatch(/unknown \| unknown/);
  expect(await detection(elsewhere, here)).toMatch(/20 s \| node not ready on server-1/);
});

test('hostile text in a recording cannot become markup', async () => {
  const core = await openTestCore();
  const nasty = {
    ...event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    raw_message: '</a><script>alert(1)</script> | [x](javascript:1)\n# owned ```',
  };
  await core.importJson({ events: [nasty] }, { service_metrics: service('inference') }, topology);
  const { text } = await core.api['report.render']({});
  const html = (await core.api['report.render']({ format: 'html' })).text;
  expect(html).not.toMatch(/<script|<img|javascript:1"/);
  // Code is shown as it is: a span ends at its first backtick, and the record has none.
  const outside = text.replaceAll(/```json[\s\S]*?```/g, '').replaceAll(/(?<!\\)`[^`\n]*`/g, '');
  expect(outside).not.toMatch(/(?<!\\)<script/);
  expect(outside).not.toContain('\n# owned');
  expect(outside).not.toMatch(/(?<!\\)\[x\]\(javascript/);
});

test('a report without an incident states it, names the missing layers and gives no cause', async () => {
  const core = await openTestCore();
  await core.importJson({ service_metrics: service('inference', { onset: 10_000 }) });
  const { text } = await core.api['report.render']({});
  expect(text).toContain('No service was measurably worse');
  expect(text).toContain('The power layer was not recorded');
});

test('what is measured need not be a service: a process of a real recording has its evidence, too', async () => {
  const root = sharedData('traces-other/ingero');
  const core = await openTestCore();
  await core.import([root]);
  const { text } = await core.api['report.render']({});
  const refs = citations(text).flatMap(({ ref }) => ref ?? []);
  const measured = refs.filter((ref) => /^measurement:.*\/pid-\d+@/.test(ref));
  expect(measured.length).toBeGreaterThan(0);
  for (const ref of measured) expect((await core.api['evidence.get']({ ref })).kind).toBe('metric');
});
