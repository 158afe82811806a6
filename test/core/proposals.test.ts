import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { prepareFoundCase } from '../../src/core/store/case-file/untrusted-case.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendEdge } from '../../src/model/rows/records.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import type { EdgeKind } from '../../src/model/topology.ts';
import { openTestCore, type TestCore } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';
import { event, service } from '../support/scenario.ts';

/** `pdu:PDU-B feeds server:server-1`. */
type Link = readonly [from: string, kind: EdgeKind, to: string];

/** A feed that reports its links twice, like polls, and ends. */
function feedOf(name: string, format: string, links: readonly Link[]): Feed {
  return {
    name,
    format,
    stampedBy: 'here',
    about: '',
    run: async (sink) => {
      for (let poll = 0; poll < 2; poll++) {
        const builder = new BatchBuilder();
        const entity = (key: string) =>
          builder.entity(key.slice(0, key.indexOf(':')) as EntityKind, key.slice(key.indexOf(':') + 1));
        for (const [from, kind, to] of links)
          appendEdge(builder, { from: entity(from), kind, to: entity(to), provenance: `${name} links` });
        sink.take([builder.finish(0)]);
      }
    },
  };
}

async function recorded(opened: readonly Feed[], ...documents: readonly unknown[]): Promise<TestCore> {
  const core = await openTestCore(undefined, { feeds: openedFeeds(opened) });
  if (documents.length > 0) await core.importJson(...documents);
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  return core;
}

async function linksIn(core: TestCore, list: 'edges' | 'proposed' | 'removed'): Promise<string[]> {
  const answer = await core.api['topology.get']({});
  return answer[list].map(({ from, kind, to }) => `${answer.nodes[from]?.id} ${kind} ${answer.nodes[to]?.id}`).sort();
}

const common = { text: '', at_ns: null, until_ns: null, made_at_ns: 5n };
const editOf = (id: string, change: 'add' | 'remove', [from, edge, to]: Link) =>
  ({ kind: 'edge', ...common, id, change, from, edge, to }) as const;

describe('what a live feed finds out', () => {
  test('about one device counts, about two it is proposed', async () => {
    const ownLinks: Link[] = [
      ['server:s1', 'contains', 'psu:s1/psu-1'],
      ['psu:s1/psu-1', 'feeds', 'server:s1'],
      ['pdu:p1', 'contains', 'outlet:p1/1'],
      ['pdu:p1', 'contains', 'breaker:p1/b'],
      ['breaker:p1/b', 'feeds', 'outlet:p1/1'],
      ['pod:a/web', 'member_of', 'job:a/web'],
    ];
    const claims: Link[] = [
      ['outlet:p1/1', 'feeds', 'psu:s1/psu-1'],
      ['pdu:p1', 'feeds', 'server:s1'],
      ['switch:leaf', 'connects', 'server:s1'],
      ['rack:r1', 'contains', 'server:s1'],
      ['server:shelf', 'contains', 'server:s1'],
      ['pod:a/web', 'runs_on', 'node:n1'],
    ];
    const linkText = ([from, kind, to]: Link) =>
      `${from.slice(from.indexOf(':') + 1)} ${kind} ${to.slice(to.indexOf(':') + 1)}`;
    const core = await recorded([feedOf('bmc', 'redfish-live', [...ownLinks, ...claims])]);
    expect(await linksIn(core, 'edges')).toEqual(ownLinks.map(linkText).sort());
    expect(await linksIn(core, 'proposed')).toEqual(claims.map(linkText).sort());
    // What is polled is kept once.
    const edgeCount = await core.api['query.sql']({ sql: 'select count(*)::integer from edge' });
    expect(edgeCount.rows).toEqual([[ownLinks.length + claims.length]]);
  });

  test('has its provenance, and counts at once if a file, or the sender of telemetry, states the same', async () => {
    const link: Link = ['pdu:PDU-B', 'feeds', 'server:server-1'];
    const other: Link = ['pdu:PDU-B', 'feeds', 'server:server-9'];
    const ran: Link = ['service:inference', 'runs_on', 'server:server-1'];
    const mapping = { mappings: [{ physical_device_id: 'PDU-B', rack_id: 'rack-1', feeds: ['server-1'] }] };
    const feeds = [
      feedOf('pdu', 'snmp-live', [link, other]),
      feedOf('bmc', 'redfish-live', [other]),
      feedOf('sdk', 'otlp-live', [ran]),
    ];
    const core = await recorded(feeds, mapping);
    expect(await linksIn(core, 'edges')).toEqual(
      expect.arrayContaining(['PDU-B feeds server-1', 'inference runs_on server-1']),
    );
    const { proposed } = await core.api['topology.get']({});
    expect(proposed).toHaveLength(1);
    expect(proposed[0]).toMatchObject({ sources: ['bmc', 'pdu'], provenance: ['bmc links', 'pdu links'] });
    expect(Number(proposed[0]?.reported_ns)).toBeGreaterThan(1e18);
  });
});

describe('the word of the investigator', () => {
  const feed: Link = ['pdu:PDU-B', 'feeds', 'server:server-1'];
  const place: Link = ['service:inference', 'runs_on', 'server:server-1'];
  const incident = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
  ];
  const open = () =>
    recorded([feedOf('pdu', 'snmp-live', [feed]), feedOf('cluster', 'kubernetes-live', [place])], {
      events: incident,
      service_metrics: service('inference'),
    });
  const accused = async (core: TestCore) =>
    (await core.api['incidents.list']({}))[0]?.incident.hypotheses[0]?.subject?.id;

  test('accepts: it is ranked anew, keeps who found it, and is proposed again when that is undone', async () => {
    const core = await open();
    expect(await accused(core)).not.toBe('PDU-B');
    await core.api['annotations.change']({ put: [editOf('a1', 'add', feed), editOf('a2', 'add', place)] });
    expect(await accused(core)).toBe('PDU-B');
    const answer = await core.api['topology.get']({});
    expect(answer.proposed).toEqual([]);
    expect(answer.edges.find(({ edit }) => edit === 'a1')?.provenance).toEqual(['pdu links', 'investigator']);
    await core.api['annotations.change']({ remove: ['a1', 'a2'] });
    expect(await accused(core)).not.toBe('PDU-B');
    expect(await linksIn(core, 'proposed')).toEqual(['PDU-B feeds server-1', 'inference runs_on server-1']);
  });

  test('rejects: it stays away, also when the feed reports it again, and the last decision counts', async () => {
    const core = await open();
    await core.api['annotations.change']({ put: [editOf('r1', 'remove', feed)] });
    for await (const _ of core.api['capture.run']({ plan: 'any' }));
    expect(await linksIn(core, 'proposed')).toEqual(['inference runs_on server-1']);
    expect(await linksIn(core, 'removed')).toEqual(['PDU-B feeds server-1']);
    expect(await linksIn(core, 'edges')).toEqual([]);
    await core.api['annotations.change']({ put: [{ ...editOf('a1', 'add', feed), made_at_ns: 6n }] });
    expect(await linksIn(core, 'edges')).toEqual(['PDU-B feeds server-1']);
    expect(await linksIn(core, 'removed')).toEqual([]);
  });

  test('stands in SQL as what it is: recorded, proposed, accepted or rejected', async () => {
    const links: Link[] = [
      ['pdu:p1', 'contains', 'outlet:p1/1'],
      ['pdu:p1', 'feeds', 'server:s1'],
      ['pdu:p1', 'feeds', 'server:s2'],
      ['pdu:p1', 'feeds', 'server:s3'],
    ];
    const core = await recorded([feedOf('bmc', 'redfish-live', links)]);
    const standings = async () => {
      const sql = 'select distinct to_id, standing from topology order by 1';
      return Object.fromEntries((await core.api['query.sql']({ sql })).rows.map(([to, status]) => [to, status]));
    };
    expect(await standings()).toEqual({ 'p1/1': 'recorded', s1: 'proposed', s2: 'proposed', s3: 'proposed' });
    const put = [editOf('yes', 'add', links[1]!), editOf('no', 'remove', links[2]!)];
    await core.api['annotations.change']({ put, remove: [] });
    expect(await standings()).toEqual({ 'p1/1': 'recorded', s1: 'accepted', s2: 'rejected', s3: 'proposed' });
    const later = { ...editOf('later', 'remove', links[1]!), made_at_ns: 9n };
    await core.api['annotations.change']({ put: [later], remove: ['no'] });
    expect(await standings()).toEqual({ 'p1/1': 'recorded', s1: 'rejected', s2: 'proposed', s3: 'proposed' });
  });

  test('is also shown in a case with older views', async () => {
    const engine = await openNativeEngine(':memory:');
    onTestFinished(() => engine.close());
    await prepareCase(engine, 'old');
    const session = await engine.session();
    onTestFinished(() => session.close());
    await session.execute('create or replace view topology as select 1 as from_kind');
    await prepareFoundCase(engine, 'old');
    expect((await session.query('select standing from topology')).names).toEqual(['standing']);
  });
});
