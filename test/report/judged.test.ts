import { expect, test } from 'vitest';
import { summariseCase } from '../../src/core/api/cases/summarise-case.ts';
import type { AnnotationOf } from '../../src/model/incident/annotation.ts';
import { judgedVerdict } from '../../src/model/incident/judged-verdict.ts';
import { headlineOf } from '../../src/renderer/views/causes/headline-text.ts';
import { memoryCore, type TestCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const events = [
  event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
  event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
];

async function sagCase(): Promise<TestCore> {
  const core = await memoryCore();
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  return core;
}

async function judge(core: TestCore, judgement: 'accepted' | 'rejected', hypothesis: string, text: string) {
  const incident = (await core.api['incidents.list']({}))[0]!.incident.id;
  const put: AnnotationOf<'judgement'> = {
    kind: 'judgement',
    id: `judged-${judgement}`,
    text,
    at_ns: null,
    until_ns: null,
    made_at_ns: 1n,
    incident,
    hypothesis,
    judgement,
  };
  await core.api['annotations.change']({ put: [put] });
}

/** The verdict as the window's headline, the report's summary and root cause, Grafana, JSON and OTLP state it. */
async function surfaces(core: TestCore) {
  const [view] = await core.api['incidents.list']({});
  const { document } = await core.api['report.document']({});
  const firstOf = (id: string): string[] => {
    const [block] = document.sections.find((section) => section.id === id)!.blocks;
    return block?.kind === 'sentences' ? block.facts.map(({ text }) => text) : [];
  };
  return {
    headline: headlineOf(view!, judgedVerdict(view!.incident, await core.api['annotations.list']({}))),
    summary: firstOf('summary'),
    rootCause: firstOf('root_cause'),
    grafana: (JSON.parse((await core.api['report.render']({ format: 'grafana' })).text) as { text: string }[])[0]!.text,
    verdicts: document.verdicts,
    home: summariseCase((await core.api['case.current']({}))!, [view!], await core.api['annotations.list']({}))
      .verdicts,
    traces: (await core.api['incidents.telemetry']({})).traces,
  };
}

test('a hypothesis that was ruled out is the headline nowhere: the judgement comes first, the computed verdict after it', async () => {
  const core = await sagCase();
  expect((await surfaces(core)).headline.title).toContain('voltage sag on PDU-B');
  await judge(core, 'rejected', 'pdu:PDU-B voltage_sag', 'the meter was replaced');
  const { headline, summary, rootCause, grafana, verdicts, home, traces } = await surfaces(core);
  expect(headline.title).toMatch(/^Ruled out: voltage sag on PDU-B\. No confirmed cause\. Undecided between /);
  expect(headline.context).toContain('Reason: the meter was replaced.');
  expect(headline.hypothesis?.subject?.id).not.toBe('PDU-B');
  for (const sentences of [summary.slice(1), rootCause]) {
    expect(sentences[0]).toBe('The investigator ruled out voltage sag on PDU-B: the meter was replaced.');
    expect(sentences[1]).toMatch(/^No cause is confirmed\. What is left is undecided between /);
    expect(sentences[2]).toMatch(/^By evidence alone the most probable root cause is voltage sag on PDU-B/);
  }
  expect(grafana).toMatch(/^inference: (?!voltage sag).+; ruled out by the investigator: voltage sag on PDU-B/);
  expect(verdicts).toMatchObject([{ confirmed: null, ruled_out: [{ subject: { id: 'PDU-B' } }] }]);
  expect(home[0]?.subject).not.toBe('PDU-B');
  expect(traces).toContain('pdu:PDU-B voltage_sag');
  expect(traces).not.toMatch(/"faultline.cause.subject","value":\{"stringValue":"pdu:PDU-B"/);
});

test('a confirmed hypothesis comes first, even where the evidence favours another', async () => {
  const core = await sagCase();
  await judge(core, 'accepted', 'no_physical_cause', 'a bad release, see ticket 12');
  const { headline, summary, grafana, verdicts, traces } = await surfaces(core);
  expect(headline.title).toBe('Confirmed cause: no physical cause.');
  expect(headline.context).toMatch(/^Reason: a bad release, see ticket 12\. Computed: .*voltage sag on PDU-B/);
  expect(summary[1]).toBe(
    'The investigator confirmed no physical cause as the root cause: a bad release, see ticket 12.',
  );
  expect(summary[2]).toMatch(/^By evidence alone, in contrast, the most probable root cause is voltage sag on PDU-B/);
  expect(summary[3]).toContain('(as computed, not as the investigator judged)');
  expect(grafana).toContain('no physical cause (confirmed by the investigator)');
  expect(verdicts[0]?.confirmed).toMatchObject({ type: 'no_physical_cause' });
  expect(traces).toContain('"faultline.cause.judgement","value":{"stringValue":"confirmed"}');
});
