import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { createFeeds } from '../../src/main/capture/index.ts';
import type { PlannedFeed } from '../../src/model/storage/feed.ts';

const feeds = createFeeds(false);
const COMMENTED = `# the rack that failed on Monday
feeds:
  # the PDU on the left
  - kind: snmp
    host: pdu-a.example # moved in March
    community: env:COMMUNITY
    burst: # only around a trigger
      every_s: 0.1
      metrics: [hw.power]   # what trips it
  - {kind: otlp, name: traces, grpc: null} # the collector

  # not before Tuesday
  - kind: rapl
    every_s: 1
# the end
`;
const planned = (text: string): PlannedFeed[] => [...(feeds.readPlan(text).feeds ?? [])];
const comments = (text: string): string[] => text.match(/#.*$/gm) ?? [];

test('a field that is changed in the form keeps the text around it', () => {
  const [snmp, otlp, rapl] = planned(COMMENTED) as [PlannedFeed, PlannedFeed, PlannedFeed];
  const moved = feeds.writePlan([{ ...snmp, host: 'pdu-b.example' }, otlp, rapl], COMMENTED);
  expect(moved.text).toContain('\n    host: pdu-b.example # moved in March\n');
  expect(moved.text).toContain(
    '\n  - {kind: otlp, name: traces, grpc: null} # the collector\n\n  # not before Tuesday\n',
  );
  expect(comments(moved.text)).toEqual(comments(COMMENTED));
  const burst = { every_s: 0.2, metrics: ['hw.power', 'hw.voltage'] };
  const within = feeds.writePlan([{ ...snmp, burst, port: 1161 }, otlp, rapl], COMMENTED).text;
  expect(within).toMatch(/burst:\s+# only around a trigger\n {6}every_s: 0.2\n/);
  expect(within).toContain('port: 1161');
  expect(comments(within)).toEqual(comments(COMMENTED));
});

test('feeds that are added, taken away or lose a field leave the comments of the others', () => {
  const [snmp, otlp, rapl] = planned(COMMENTED) as [PlannedFeed, PlannedFeed, PlannedFeed];
  const { host: _, ...less } = snmp;
  expect(comments(feeds.writePlan([less, otlp, rapl], COMMENTED).text)).not.toContain('# moved in March');
  const fewer = feeds.writePlan([snmp, rapl], COMMENTED).text;
  expect(planned(fewer)).toEqual([snmp, rapl]);
  expect(comments(fewer)).toEqual(comments(COMMENTED).filter((comment) => comment !== '# the collector'));
  const more = feeds.writePlan([snmp, otlp, rapl, { kind: 'nvml' }], COMMENTED).text;
  expect(planned(more).at(-1)).toEqual({ kind: 'nvml' });
  expect(comments(more)).toEqual(comments(COMMENTED));
});

test('what is no plan, or shares values, is written anew, and states that comments are lost', () => {
  const wanted = [{ kind: 'rapl', every_s: 2 }];
  for (const before of [
    '',
    '# none\n',
    'feeds: 7',
    '- feeds',
    'feeds: [',
    '{"feeds": []}',
    'a: &a {kind: rapl}\nfeeds: [*a, *b]',
  ])
    expect(planned(feeds.writePlan(wanted, before).text)).toEqual(wanted);
  const anew = /^# Written anew: the comments of the text before could not be kept\.\n/;
  for (const before of ['- feeds # c', 'feeds: [ # c', 'feeds: # c\n\t- kind: rapl', 'feeds: [] # c\nfeeds: []']) {
    expect(feeds.writePlan(wanted, before).text).toMatch(anew);
    expect(feeds.readPlan(before).problems).not.toEqual([]);
  }
  const shared = 'feeds:\n  - &first {kind: rapl, name: a}\n  - *first # as the first\n';
  const two = [
    { kind: 'rapl', name: 'a', every_s: 3 },
    { kind: 'rapl', name: 'b' },
  ];
  expect(feeds.writePlan(two, shared).text).toBe(
    'feeds:\n  - &first {kind: rapl, name: a, every_s: 3}\n  - {kind: rapl, name: b} # as the first\n',
  );
  const lost = feeds.writePlan([two[0]!, { kind: 'rapl', name: 'a' }], shared).text;
  expect(planned(lost)).toEqual([two[0], { kind: 'rapl', name: 'a' }]);
});

test.each(['\n', '\r\n'])('comments survive in nested lists, behind values and between fields, with %j', (newline) => {
  const lines = (text: string): string => text.replaceAll('\n', newline);
  const before = lines(`feeds: # all of them
- name: 'left' # its name
  # the kind
  kind: snmp # the protocol
  community: env:C
  burst:
    # what trips it
    metrics: # two
      - hw.power # in watts
      # not yet
      - hw.voltage # in volts
    every_s: 0.1 # fast
    # for_s: 9

- kind: otlp
  grpc: # off
  # http: 1
push: {}
# the end`);
  const [snmp, otlp] = planned(before) as [PlannedFeed, PlannedFeed];
  const { name: _, community: __, ...less } = snmp;
  const burst = { metrics: ['hw.current', 'hw.voltage', 'hw.load'], every_s: 2, for_s: 10 };
  expect(
    feeds.writePlan(
      [
        { ...less, burst },
        { ...otlp, grpc: 'a: b', extra: { a: [] } },
      ],
      before,
    ).text,
  ).toBe(
    lines(`feeds: # all of them
-
  # the kind
  kind: snmp # the protocol
  burst:
    # what trips it
    metrics: # two
      - hw.current # in watts
      # not yet
      - hw.voltage # in volts
      - hw.load
    every_s: 2 # fast
    for_s: 10
    # for_s: 9

- kind: otlp
  grpc: 'a: b' # off
  extra:
    a: []
  # http: 1
push: {}
# the end
`),
  );
});

test('a feed that goes takes its own comments along and no others', () => {
  const before = `# the rack
feeds:
  # the left one
  - kind: rapl # left
    # every_s: 2
  # the right one
  - kind: rapl # right
    name: right

  # more to come
`;
  const [left, right] = planned(before) as [PlannedFeed, PlannedFeed];
  expect(feeds.writePlan([right], before).text).toBe(
    '# the rack\nfeeds:\n  # the right one\n  - kind: rapl # right\n    name: right\n\n  # more to come\n',
  );
  expect(feeds.writePlan([left], before).text).toBe(
    '# the rack\nfeeds:\n  # the left one\n  - kind: rapl # left\n    # every_s: 2\n\n  # more to come\n',
  );
  expect(feeds.writePlan([], before).text).toContain('# the rack\nfeeds: []\n');
});

test('a plan keeps its push section', () => {
  const text = 'feeds: [{kind: rapl}]\npush: {otlp: {url: "http://a:4318"}} # whom\n';
  const { text: written, problems } = feeds.writePlan([{ kind: 'rapl', every_s: 2 }], text);
  expect(written).toContain('push: {otlp: {url: "http://a:4318"}} # whom');
  expect(problems.map(({ path }) => path)).toEqual(['push']);
});

const scalar = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true }),
);
const feed = fc.record(
  {
    kind: fc.constantFrom('rapl', 'otlp', 'snmp'),
    name: scalar,
    every_s: scalar,
    burst: fc.oneof(
      fc.constant(null),
      fc.record({ every_s: scalar, metrics: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }) }),
    ),
  },
  { requiredKeys: ['kind'] },
);

test('after any edit, text and form are equal, and comments before equal feeds stay', () => {
  fc.assert(
    fc.property(fc.array(feed, { minLength: 1, maxLength: 4 }), fc.array(feed, { maxLength: 4 }), (before, after) => {
      const lines = feeds.writePlan(before, '').text.split('\n');
      const text = lines.map((line, at) => (line.startsWith('  - ') ? `  # comment ${at}\n${line}` : line)).join('\n');
      const written = feeds.writePlan(after, text).text;
      expect((load(written) as { feeds: unknown }).feeds).toEqual(after);
      expect(written).not.toContain('# Written anew');
      const kept = Math.min(before.length, after.length);
      expect(comments(written).filter((comment) => comment.startsWith('# comment')).length).toBeGreaterThanOrEqual(
        kept,
      );
      expect(feeds.writePlan(before, text).text).toBe(text);
      const flow = feeds.writePlan(after, `push: {} # a\nfeeds: ${JSON.stringify(before)} # b`).text;
      expect((load(flow) as { feeds: unknown }).feeds).toEqual(after);
      expect(flow).toMatch(/^push: \{\} # a\nfeeds: \[.*\] # b\n?$/);
    }),
    { numRuns: 300 },
  );
});

test.each(['{kind: snmp, host: a, version: "3", user: USER}', '{kind: snmp-traps, users: [USER]}'])(
  'DES is refused with what to use instead: %s',
  (feed) => {
    const plan = (privacy: string) =>
      `feeds: [${feed.replace('USER', `{name: u, auth_key: env:FAULTLINE_A, privacy: ${privacy}, privacy_key: env:FAULTLINE_P}`)}]`;
    expect(feeds.readPlan(plan('aes')).problems).toEqual([]);
    expect(feeds.readPlan(plan('des')).problems).toMatchObject([
      { feed: 0, message: "DES is not offered by this program's cryptography: use aes" },
    ]);
    expect(feeds.readPlan(plan('rot13')).problems).toMatchObject([{ message: expect.stringMatching(/"aes256r"/) }]);
    expect(() => feeds.pushes(plan('des'))).toThrow(/privacy: DES is not offered .*: use aes/);
  },
);
