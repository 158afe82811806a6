import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { weighedLine } from '../../src/core/analysis/evidence/kind.ts';
import { lowOnly, quiet, surge, unplaced } from '../../src/core/analysis/evidence/open.ts';
import { compareRankings } from '../../src/core/analysis/ranking/compare-rankings.ts';
import type { TypedIncident } from '../../src/core/analysis/written-incident.ts';
import type { IncidentView } from '../../src/model/contract/index.ts';
import type { Incident, TypedEvidence } from '../../src/model/incident/incident.ts';
import type { RankingChange, WhatIf } from '../../src/model/incident/what-if.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const sag = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
const failover = event('e2', 691, 'redfish', 'psu_failover', 'server-1');
const brake = event('e3', 693, 'nvml', 'power_brake', 'GPU-A', 'high');
const spare = { mappings: [{ physical_device_id: 'PDU-C', feeds: ['server-9'] }] };

async function openIncident(...more: readonly unknown[]): Promise<TestCore> {
  const core = await memoryCore();
  await core.importJson(
    { events: [sag, failover, brake] },
    { service_metrics: service('inference') },
    topology,
    spare,
    ...more,
  );
  return core;
}

const runWhatIf = async (core: TestCore, what_if: Partial<WhatIf>) => core.api['incidents.whatIf']({ what_if });
const subjects = (incident: Incident | undefined) =>
  incident?.hypotheses.map(({ type, subject }) => `${type} ${subject?.id ?? ''}`.trim()) ?? [];
const lineOf = (change: RankingChange | undefined, type: string) => change?.moves.find((move) => move.type === type);

test('without a layer the case is judged as if that layer had never been recorded', async () => {
  const core = await openIncident();
  const supposed = await runWhatIf(core, { without_layers: ['power'] });
  expect(supposed.supposed).toBe('without the power layer');
  expect(supposed.report.summary.total_events_processed).toBe(2);
  const [one] = supposed.incidents;
  expect(subjects(one?.before.incident)).toContain('voltage_sag PDU-B');
  expect(subjects(one?.after.incident)).not.toContain('voltage_sag PDU-B');
  expect(one?.after.incident.id).toBe(one?.before.incident.id);
  expect(one?.before.incident.warnings.join()).not.toMatch(/no events recorded of: .*power/);
  expect(one?.after.incident.warnings.join()).toMatch(/no events recorded of: .*power/);
  expect(one?.change).toMatchObject({ is_changed: true, is_verdict_changed: true });
  expect(one?.change.sentence).toMatch(
    /^without the power layer the verdict changes to .+ at \d\.\d\d, from voltage sag on PDU-B at \d\.\d\d$/,
  );
  expect(lineOf(one?.change, 'voltage_sag')).toMatchObject({ rank_before: 1, rank_after: null });
  // The same facts without the event give the same judgement: nothing of it is left behind.
  const never = await memoryCore();
  await never.importJson({ events: [failover, brake] }, { service_metrics: service('inference') }, topology, spare);
  const { incidents } = await never.api.correlate({});
  const withoutText = (incident: Incident | undefined) =>
    incident?.hypotheses.map(({ type, subject, probability, evidence }) => ({
      type,
      subject,
      probability,
      lines: evidence.map(({ text, weight }) => [text, weight]),
    }));
  expect(withoutText(one?.after.incident)).toEqual(withoutText(incidents[0]));
  // A supposition leaves no trace in the case.
  expect((await core.api['incidents.list']({}))[0]?.incident).toEqual(one?.before.incident);
});

test('an excluded event, by its own id or by its evidence id', async () => {
  const core = await openIncident();
  const byId = await runWhatIf(core, { without_events: ['e1'] });
  const before = byId.incidents[0]?.before;
  const ref = before?.steps.find(({ type }) => type === 'voltage_sag')?.ref ?? '';
  expect(subjects(byId.incidents[0]?.after.incident)).not.toContain('voltage_sag PDU-B');
  const byRef = await runWhatIf(core, { without_events: [ref] });
  expect(byRef.incidents[0]?.after.incident).toEqual(byId.incidents[0]?.after.incident);
  expect(byRef.report.summary.total_events_processed).toBe(2);
  const failoverMove = lineOf(byId.incidents[0]?.change, 'psu_failover');
  const explained = failoverMove?.evidence.find(({ text }) => text.startsWith('itself explained by voltage sag'));
  expect(explained).toMatchObject({ change: 'vanished', weight_after: null });
});

test('a shifted clock moves the events of that source only, in addition to the estimate', async () => {
  const core = await openIncident({ events: [event('x1', 695, 'redfish', 'fan_failure', 'server-1')] });
  const { sources } = (await core.api['case.current']({})) ?? { sources: [] };
  const first = sources.find(({ rows }) => rows.event === 3);
  const supposed = await runWhatIf(core, { clock_shifts: [{ source: String(first?.source_id), seconds: -15 }] });
  const [one] = supposed.incidents;
  const sagTime = (view: IncidentView | undefined) => view?.steps.find(({ type }) => type === 'voltage_sag')?.time_ns;
  expect(sagTime(one?.after)).toBe(sagTime(one?.before)! - 15_000_000_000n);
  const timing = lineOf(one?.change, 'voltage_sag')?.evidence.find(({ text }) => text.includes('before the first'));
  expect(timing).toMatchObject({ change: 'changed', text: '25 s before the first anomaly' });
  expect(timing?.weight_after).toBeLessThan(timing!.weight_before!);
  expect(supposed.supposed).toBe(`with ${first?.source_id} 15 s earlier`);
});

test('a moved feed takes the suspicion away from what no longer feeds the machine', async () => {
  const core = await openIncident();
  const moved = await runWhatIf(core, { moved_feeds: [{ to: 'server-1', from: 'pdu:PDU-C', instead_of: null }] });
  expect(moved.supposed).toBe('with server-1 fed by pdu:PDU-C');
  const sagAfter = moved.incidents[0]?.change.moves.find(({ type }) => type === 'voltage_sag');
  expect(sagAfter?.probability_after ?? 0).toBeLessThan(sagAfter?.probability_before ?? 0);
  const away = await runWhatIf(core, { moved_feeds: [{ to: 'server-1', from: null, instead_of: 'PDU-B' }] });
  expect(subjects(away.incidents[0]?.after.incident)[0]).not.toBe('voltage_sag PDU-B');
  // Moving a feed to where it is already changes nothing.
  const same = await runWhatIf(core, { moved_feeds: [{ to: 'server-1', from: 'PDU-B', instead_of: null }] });
  expect(same.incidents[0]?.change).toMatchObject({ is_changed: false, moves: [] });
  expect(same.incidents[0]?.change.sentence).toContain('nothing changes');
});

test('what is not there is named, with a hint', async () => {
  const core = await openIncident();
  const problem = (what_if: Partial<WhatIf>) =>
    runWhatIf(core, what_if).then(
      () => null,
      (error) => error.problem,
    );
  expect(await problem({ without_events: ['e1', 'nope'] })).toMatchObject({
    code: 'what_if.unknown_event',
    message: 'no event "nope" was recorded',
  });
  expect(await problem({ clock_shifts: [{ source: 'nope', seconds: 1 }] })).toMatchObject({
    code: 'what_if.unknown_source',
    hint: expect.stringContaining('there are: '),
  });
  expect(await problem({ moved_feeds: [{ to: 'server-11', from: 'PDU-B', instead_of: null }] })).toMatchObject({
    code: 'what_if.unknown_entity',
    hint: expect.stringContaining('server:server-1'),
  });
  await expect(core.api['incidents.whatIf']({ what_if: {}, incident: 'inc_none' })).rejects.toMatchObject({
    problem: { code: 'incident.unknown' },
  });
});

test('one incident of several is judged alone', async () => {
  const core = await openIncident({ service_metrics: service('embedding', { onset: 710 }) });
  const all = await core.api['incidents.list']({});
  expect(all.length).toBe(2);
  const id = all[1]!.incident.id;
  const one = await core.api['incidents.whatIf']({ what_if: { without_events: ['e1'] }, incident: id });
  expect(one.incidents.map(({ after }) => after.incident.id)).toEqual([id]);
});

test('the text begins with the changes, followed by the new result', async () => {
  const core = await openIncident();
  const what_if = { without_layers: ['power' as const] };
  const { text } = await core.api['correlate.render']({ format: 'timeline', what_if });
  expect(text).toMatch(/^what if: without the power layer\n/);
  expect(text).toContain('voltage sag on PDU-B: 1. at ');
  expect(text).toContain('then not listed');
  const { text: markdown } = await core.api['correlate.render']({ format: 'markdown', what_if });
  expect(markdown).toMatch(/^# What if: without the power layer\n\n- inc/);
  const { text: plain } = await core.api['correlate.render']({ format: 'timeline', what_if: {} });
  expect(plain).toBe((await core.api['correlate.render']({ format: 'timeline' })).text);
});

test('evidence of one kind is one line that changed, whatever its figures; others appear and vanish', () => {
  const incident = (probability: number, evidence: readonly TypedEvidence[]): TypedIncident =>
    ({
      id: 'inc_1',
      hypotheses: [{ rank: 1, probability, subject: null, type: 'no_physical_cause', evidence }],
    }) as never;
  const change = compareRankings(
    incident(0.9, [
      weighedLine(quiet, 1, { machines: { recorded: 1, of: 1 }, service: 'chat' }),
      weighedLine(surge, 0.5, { times: 5, callee: null }),
      weighedLine(lowOnly, 0.2, { service: 'chat' }),
    ]),
    incident(0.7, [
      weighedLine(quiet, 1, { machines: { recorded: 1, of: 1 }, service: 'chat' }),
      weighedLine(surge, 0.3, { times: 7.5, callee: null }),
      weighedLine(unplaced, 0.1, { service: 'chat', byCompany: false, mayCarry: { first: [], more: 0 } }),
    ]),
    'without event e1',
  );
  expect(change.sentence).toBe('without event e1 the verdict stays: no physical cause, from 0.90 to 0.70');
  const surged = 'successful requests rose to 7.5 times the baseline';
  expect(change.moves[0]?.evidence).toMatchObject([
    { change: 'changed', text: surged, weight_before: 0.5, weight_after: 0.3, refs: [] },
    { change: 'appeared', text: expect.stringMatching(/^no topology/), weight_before: null, weight_after: 0.1 },
    { change: 'vanished', text: expect.stringMatching(/^only low-severity/), weight_before: 0.2, weight_after: null },
  ]);
});

test('feeds are listed as a what-if can move them: supplies as their machine, outlets as what holds them', async () => {
  const core = await memoryCore();
  const file = join(await temporaryFolder(), 'feeds.csv');
  await writeFile(
    file,
    [
      'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to',
      'pdu,PDU-A,contains,outlet,PDU-A/1,,',
      'outlet,PDU-A/1,feeds,psu,node-1/PSU-1,,',
      'server,node-1,contains,psu,node-1/PSU-1,,',
      'pdu,PDU-A,feeds,outlet,PDU-A/1,,',
      'ups,UPS-1,feeds,pdu,PDU-A,,',
    ].join('\n'),
  );
  await core.import([file]);
  expect(await core.api['feeds.list']({})).toEqual([
    { supply: 'pdu:PDU-A', fed: 'server:node-1' },
    { supply: 'ups:UPS-1', fed: 'pdu:PDU-A' },
  ]);
});
