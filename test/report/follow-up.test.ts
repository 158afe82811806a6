import { expect, test } from 'vitest';
import type { AnnotationOf } from '../../src/model/incident/annotation.ts';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const common = { text: '', at_ns: null, until_ns: null, made_at_ns: 1n } as const;

test('title, severity, owner and action items of people stand in the report, and an accepted proposal only once', async () => {
  const core = await memoryCore();
  const events = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  ];
  await core.importJson({ events }, { service_metrics: service('inference') }, topology);
  const before = (await core.api['report.render']({})).text;
  expect(before).toContain('# Post-mortem: test');
  expect(before).toMatch(/\| not set \| not set \|/);
  const proposal = 'Ask facilities for the waveform and transfer log of the supply';
  const count = (text: string, part: string): number => text.split(part).length - 1;
  expect(count(before, proposal)).toBe(1);

  const { document } = await core.api['report.document']({});
  const incident = document.incidents[0]!.id;
  const rows = document.sections.flatMap(({ blocks }) =>
    blocks.flatMap((one) => (one.kind === 'table' ? one.rows : [])),
  );
  const whole = rows.flatMap(({ cells }) => cells).find((cell) => cell.startsWith(proposal))!;
  const heading: AnnotationOf<'heading'> = {
    ...common,
    kind: 'heading',
    id: 'h1',
    incident,
    text: 'Inference slow after a sag',
    severity: 'SEV2',
    owner: 'ada',
    public_name: '',
  };
  const action = (id: string, text: string, more: Partial<AnnotationOf<'action'>> = {}): AnnotationOf<'action'> => ({
    ...common,
    ...{ kind: 'action', id, text, incident, owner: '', priority: '', due: '', ticket: '', done: false },
    ...more,
  });
  const put = [
    heading,
    action('a1', 'Call the utility', { owner: 'bob', priority: 'P1', due: '2026-12-24', ticket: 'OPS-7', done: true }),
    action('a2', whole),
  ];
  await core.api['annotations.change']({ put });
  const after = (await core.api['report.render']({})).text;
  expect(after).toContain('# Post-mortem: Inference slow after a sag');
  expect(after).toMatch(/\| SEV2 \| ada \|/);
  expect(after).toMatch(/\| ☑ Call the utility \| bob \| P1 \| 2026-12-24 \| OPS-7 \|/);
  expect(after).toMatch(/\| ☐ Ask facilities for the waveform[^\n]* \| not set \| not set \| not set \| none \|/);
  expect(
    count(after.slice(after.indexOf('## Action items'), after.indexOf('## Known failure patterns')), proposal),
  ).toBe(1);
  // A day that is none is refused.
  await expect(async () =>
    core.api['annotations.change']({ put: [action('a3', 'x', { due: 'soon' })] }),
  ).rejects.toThrow(/due/);
});
