import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NameMatcher } from '../../src/main/bundle/redact/name-matcher.ts';
import { Pseudonyms } from '../../src/main/bundle/redact/pseudonyms.ts';
import { parseRules } from '../../src/main/bundle/redact/rules.ts';
import type { IncidentView } from '../../src/model/contract/index.ts';
import { openTestCore } from '../support/core.ts';
import { exported, incidentCase, membersOf, opened } from './bundle-case.ts';

const nameOf = (rules = '', ...names: string[]) =>
  new Pseudonyms(
    names.map((name) => ({ kind: 'node', name })),
    parseRules(rules),
  );

test('the longest whole words are found, as a search of every place finds them', () => {
  const words = ['node-3', 'node-31', 'node-3.rack-1', 'rack', 'rack-1', 'b', 'узел-1', 'ужел-1'];
  const pieces = [...words, 'x', '-', ' ', '/', 'Node-3', 'NODE-31', '1', '.', '"'];
  const matcher = new NameMatcher(words);
  const isWord = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
  let random = 7;
  const next = () => (random = (random * 48271) % 2147483647);
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: 1 + (next() % 6) }, () => pieces[next() % pieces.length]).join('');
    const expected: number[] = [];
    for (let at = 0; at < text.length; at++) {
      const here = words
        .map((word, number) => ({ word, number }))
        .filter(({ word }) => text.slice(at, at + word.length).toLowerCase() === word)
        .filter(({ word }) => !isWord(text[at - 1]) && !isWord(text[at + word.length]))
        .sort((one, other) => other.word.length - one.word.length)[0];
      if (!here) continue;
      expected.push(at, at + here.word.length, here.number);
      at += here.word.length - 1;
    }
    expect([text, matcher.find(text) ?? []]).toEqual([text, expected]);
  }
});

test('a name has one pseudonym, also within other names, and nothing else is touched', () => {
  const names = nameOf('', 'node-3', 'node-31', 'node-3/GPU-0', 'rank', '7');
  const [three, thirty] = ['node-3', 'node-31'].map((name) => names.replace(name));
  expect(three).not.toBe(thirty);
  expect(names.replace('NODE-3 lost power')).toBe(`${three} lost power`);
  expect(names.replace('node-3/GPU-0 and gpu-node-31.local')).toBe(`${three}/GPU-0 and gpu-${thirty}.local`);
  expect(names.replace('mynode-3 has 7 GPUs')).toBe('mynode-3 has 7 GPUs');
  expect(names.replace('from 10.1.2.3 to 10.1.2.4 and 10.1.2.3')).toBe('from ip-x0001 to ip-x0002 and ip-x0001');
  expect(names.replace('version 1.2.3')).toBe('version 1.2.3');
});

test.each([
  'line\\nnode-3 of a text within a text',
  'go \\u003cnode-3\\u003e',
  'https://x/?host%3Dnode-3%26a',
  '\u001b[31mnode-3\u001b[0m',
  'lost node-3—again',
  '“node-3”',
  '节点node-3宕机',
])('a name is found beside what is no letter of a word: %j', (text) => {
  const names = nameOf('', 'node-3');
  expect(names.replace(text)).toBe(text.replace('node-3', 'node-x1'));
  expect(names.searcher()(text)).toBe('node-3');
});

test.each([
  ['email', ['bob.smith@acme.com', 'bob%40acme.com', 'müller@firma.de']],
  ['mac', ['00:1A:2b:3c:4d:5e', '00-1A-2B-3C-4D-5E', '001a.2b3c.4d5e', '00:02:c9:03:00:a1:b2:c3']],
  ['ip', ['10.1.2.3', 'ip-10-1-2-3']],
  ['ipv6', ['fe80::1', '2001:db8::8:800:200c', '::1', '2001:db8:0:1:2:3:4:5']],
])('no form of %s is left, wherever it stands', (kind, addresses) => {
  for (const address of addresses)
    for (const [before, behind] of [
      ['at ', ''],
      ['[', ']:443'],
      ['peer_', '/x'],
      ['a\\n', '\\n'],
      ['?of%3D', '%26'],
    ] as const) {
      const names = nameOf();
      expect(names.searcher()(`${before}${address}${behind}`)).not.toBeNull();
      const after = names.replace(`${before}${address}${behind}`);
      expect(after).toContain(`${kind}-x0001`);
      expect(names.searcher()(after)).toBeNull();
      // The end of an escape may go along, never a part of the address stay.
      if (kind !== 'email' && !before.endsWith('D')) expect(after).toBe(`${before}${kind}-x0001${behind}`);
    }
  for (const harmless of [
    '02:10:55.123',
    'std::decay',
    '535.104.5',
    'GPU 0000:3b:00.0',
    '2026-03-14T02:10:55Z',
    'inference-server@0.9.3',
  ])
    expect(nameOf().replace(harmless)).toBe(harmless);
});

test('JSON is read before it is searched: line ends, quotation marks, keys and numbers', () => {
  const rules = 'words: ["4711"]\npatterns: { customer: "^[0-9]{8}$" }';
  const names = nameOf(rules, 'node-3', 'the "big" job');
  const json = { stack: 'at\nnode-3\n10.1.2.3', 'peer.node-3': 'the "big" job', customer: 12345678, n: 4711, at: 5 };
  expect(JSON.parse(names.treatJson(JSON.stringify(json)))).toEqual({
    stack: 'at\nnode-x1\nip-x0001',
    'peer.node-x1': 'node-x2',
    customer: 'customer-x0001',
    n: 'word-x1',
    at: 5,
  });
});

test('a pod goes by a new name with its namespace and without', async () => {
  const core = await openTestCore();
  await core.import([join(import.meta.dirname, '../../fixtures/kubernetes/pods.json')]);
  const preview = await core.api['bundle.preview']({ redact: '' });
  const before = preview.redaction?.names.map((name) => name.before);
  expect(before).toContain('no-image-deployment-849c4c4958-rxqmt');
  expect(before).toContain('message-image-pull-fail');
  expect(before).not.toContain('default');
});

test('rules keep, drop and mask; numbers of attributes keep their digits', () => {
  const rules = 'keep: [rack-9]\nwords: [Acme]\nattributes:\n  http.url: drop\n  user: { mask: "[a-z]+" }\n';
  const names = nameOf(rules, 'rack-9', 'node-1');
  expect(names.replace('acme runs rack-9')).toBe('word-x1 runs rack-9');
  expect(names.treatJson('{"http.url":"http://a/b","user":"bob7","at":1700000000123456789,"host":"node-1"}')).toBe(
    '{"http.url":"(removed)","user":"***7","at":1700000000123456789,"host":"node-x1"}',
  );
  for (const wrong of ['texts: 7', 'unknown: 1', 'attributes: { a: { mask: "(" } }', ': :'])
    expect(() => parseRules(wrong)).toThrow();
});

const incidentTexts = (views: readonly IncidentView[], renamed: (name: string) => string) =>
  views.map(({ incident, steps, onset_ns }) => ({
    onset_ns,
    services: incident.affected_services.map(renamed),
    chain: incident.causal_chain.map(({ type, device_id, confidence, timestamp }) => [
      type,
      renamed(device_id),
      confidence,
      timestamp,
    ]),
    steps: steps.map(({ type, device, cause }) => [type, renamed(device), cause]),
    hypotheses: incident.hypotheses.map(({ rank, type, subject, probability }) => [
      rank,
      type,
      subject && [subject.kind, renamed(subject.id)],
      probability,
    ]),
  }));

test.each(['pdu-sag', 'software-only'])(
  '%s is judged the same under other names, and no name is left',
  async (name) => {
    const core = await incidentCase(name);
    const before = await core.api['incidents.list']({});
    const [first] = before as [IncidentView];
    const common = { at_ns: null, until_ns: null, made_at_ns: 7n };
    await core.api['annotations.change']({
      put: [
        {
          kind: 'note',
          id: 'n1',
          text: `call the team of ${first.service}`,
          ...common,
          target: `entity:service:${first.service}`,
        },
        {
          kind: 'judgement',
          id: 'j1',
          text: 'sure',
          ...common,
          incident: first.incident.id,
          hypothesis: 'no_physical_cause',
          judgement: 'noted',
        },
      ],
    });
    const preview = await core.api['bundle.preview']({ redact: '' });
    const renames = new Map(preview.redaction?.names.map(({ before: one, after }) => [one, after]));
    expect(renames.size).toBeGreaterThan(3);
    const { path, changed } = await exported(core, { redact: 'case: incident-1' });
    expect(changed).toEqual([]);
    const there = await opened(path);
    const renamed = (original: string): string => {
      const parts = original.split('/');
      return (
        renames.get(original.toLowerCase()) ?? parts.map((part) => renames.get(part.toLowerCase()) ?? part).join('/')
      );
    };
    const after = await there.api['incidents.list']({});
    expect(incidentTexts(after, (same) => same)).toEqual(incidentTexts(before, renamed));
    const annotations = await there.api['annotations.list']({});
    expect(annotations.find(({ id }) => id === 'j1')).toMatchObject({ incident: after[0]?.incident.id });
    expect(JSON.stringify(annotations, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      first.service,
    );
    const whole = await readFile(path);
    for (const member of membersOf(whole))
      for (const original of renames.keys())
        if (/\.(md|json)$/.test(member.name)) {
          const left = new NameMatcher([original]).find(member.content.toString());
          expect([member.name, original, left]).toEqual([member.name, original, null]);
        }
    expect((await there.api['case.current']({}))?.excerpt).toContain('names were replaced');
    expect(
      membersOf(whole)
        .find((member) => member.name === 'report.md')
        ?.content.toString(),
    ).toContain('incident-1');
    expect((await there.api['report.render']({})).text).not.toContain(first.service);
  },
);

test('what would leak is not written', async () => {
  const core = await incidentCase('pdu-sag');
  const [first] = (await core.api['incidents.list']({})) as [IncidentView];
  // The case may be called what it likes, but not after something in it.
  await expect(exported(core, { redact: `case: ${first.service}` })).rejects.toMatchObject({
    problem: { code: 'redaction.leaks' },
  });
  await expect(exported(core, { redact: 'no rules' })).rejects.toMatchObject({ problem: { code: 'redaction.rules' } });
});
