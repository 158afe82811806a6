import { expect, test } from 'vitest';
import type { AnnotationOf } from '../../src/model/incident/annotation.ts';
import { memoryCore, type TestCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');

async function sagCase(): Promise<TestCore> {
  const core = await memoryCore();
  await core.importJson({ events: [sag] }, { service_metrics: service('inference') }, topology);
  return core;
}

/** As the window writes it: with what the section states now. */
async function write(core: TestCore, id: string, text: string): Promise<AnnotationOf<'prose'>> {
  const { document, sections } = await core.api['report.document']({});
  const at = document.sections.findIndex((section) => section.id === id);
  const prose: AnnotationOf<'prose'> = {
    kind: 'prose',
    id: `prose-${id.replace('_', '-')}`,
    text,
    at_ns: null,
    until_ns: null,
    made_at_ns: 1n,
    section: document.sections[at]?.key ?? '',
    facts: sections[at]?.statements ?? [],
  };
  await core.api['annotations.change']({ put: [prose] });
  return prose;
}

const sectionOf = async (core: TestCore, id: string) =>
  (await core.api['report.document']({})).document.sections.find((section) => section.id === id);

test('prose stands in front of the facts of its section, cites, and survives a new analysis', async () => {
  const core = await sagCase();
  await write(core, 'summary', 'We lost **one feed**; see [the sag](#event:1).');
  await write(core, 'impact', 'Nobody complained.');
  const { text } = await core.api['report.render']({});
  expect(text).toMatch(
    /\n## Summary\n\nWe lost \*\*one feed\*\*; see \[the sag\]\(#(e\d+)\)\.\n\ninference was degraded/,
  );
  const [, anchor] = /\[the sag\]\(#(e\d+)\)/.exec(text) ?? [];
  expect(text).toContain(`<a id="${anchor}"></a>**[${anchor?.toUpperCase()}](#${anchor})** \`event:1\``);
  await core.importJson({ events: [event('e9', 100, 'redfish', 'fan_failure', 'server-9')] });
  const section = await sectionOf(core, 'summary');
  // The new event makes the feed more probable: the conflict shows it, the prose stays.
  expect(section?.prose?.text).toContain('We lost');
  expect(section?.prose?.conflict?.now).toEqual([
    expect.stringContaining('The most probable root cause is voltage sag on PDU-B'),
  ]);
  expect((await sectionOf(core, 'impact'))?.prose?.conflict).toBeNull();
});

test('facts that change under prose are shown as a conflict; neither is overwritten', async () => {
  const core = await sagCase();
  const prose = await write(core, 'root_cause', 'It was the feed.');
  await core.importJson({ events: [event('e2', 691, 'redfish', 'psu_failover', 'server-1')] });
  const section = await sectionOf(core, 'root_cause');
  expect(section?.prose).toMatchObject({ text: 'It was the feed.', annotation: prose.id });
  expect(section?.prose?.conflict?.now.join()).toContain('psu failover');
  expect(section?.prose?.conflict?.was.length).toBeGreaterThan(0);
  const { text } = await core.api['report.render']({});
  expect(text).toContain('> **The facts below changed after this passage was written.**');
  // Keeping the words means writing them about the facts as they are now.
  await write(core, 'root_cause', 'It was the feed.');
  expect((await sectionOf(core, 'root_cause'))?.prose?.conflict).toBeNull();
  await core.api['annotations.change']({ remove: [prose.id] });
  expect((await sectionOf(core, 'root_cause'))?.prose).toBeNull();
});

test('prose of a stranger is neither HTML nor an image, keeps below the headings, and cites what may be gone', async () => {
  const core = await sagCase();
  await write(
    core,
    'impact',
    '# Big\n<script>x</script> ![spy](http://spy.example/x.png) [gone](#event:99999)\n```\nopen',
  );
  const { text } = await core.api['report.render']({});
  const outside = text.slice(text.indexOf('\n## Impact'), text.indexOf('\n## Timeline'));
  expect(outside).toContain('\n#### Big\n');
  expect(outside).not.toMatch(/(?<!\\)<script|!\[/);
  expect(outside).toContain('open\n```\n\n| Figure |');
  expect(text).toContain('1 cited record could not be read:');
  expect(text).toContain('there is no evidence event:99999 in this case');
  const html = (await core.api['report.render']({ format: 'html' })).text;
  expect(html).not.toMatch(/<img|<script|(?:src|href)="http/);
});
