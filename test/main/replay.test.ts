import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { event } from '../support/scenario.ts';

/** A supply that fails at 10 s, by hand; `rest` are further rows. */
const byHand = (...rest: readonly string[]): string =>
  [
    '# Faultline recording from 2026-01-01T00:00:00Z',
    'server:n1 contains psu:n1/PSU-2',
    'pdu:PDU-A feeds server:n1',
    'samples hw.voltage pdu:PDU-A every 10: 230 230 230',
    ...rest,
    'until 200',
  ].join('\n');
const failure = '10 psu:n1/PSU-2 psu_failure high redfish: PSU-2 failed';

async function corpus(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Cells of the confusion table of a pattern, in the order of its columns. */
const rowOf = (out: string, pattern: string) =>
  out
    .split('\n')
    .find((line) => line.startsWith(`${pattern} `))
    ?.trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);

test('recordings of any format that are as labelled exit with 0', async () => {
  const folder = await corpus({
    'README.md': 'left alone',
    'psu-failure/positive.txt': byHand(failure),
    'psu-failure/positive-json/events.json': JSON.stringify({
      events: [event('e1', 690, 'redfish', 'psu_failure', 'server-1')],
    }),
    'psu-failure/negative.txt': byHand(),
    'psu-failure/label.yaml': [
      'licence: MIT',
      'recordings:',
      '  positive:',
      '    why: PSU-2 was replaced',
      '    expect:',
      '      - pattern: psu-failure',
      '        entities: ["psu:n1/PSU-2"]',
      '        from: 2026-01-01T00:00:00Z',
      '        to: 2026-01-01T00:05:00Z',
      '  positive-json:',
      '    expect: [{pattern: psu-failure, verdict: partial}]',
    ].join('\n'),
    'healthy/calm.txt': byHand(),
  });
  const { code, out } = await faultline('replay', folder);
  expect(code).toBe(0);
  expect(rowOf(out, 'psu-failure')).toEqual([2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
  expect(rowOf(out, 'overload')).toBeUndefined();
  expect(out).toContain('4 of 4 recordings are as labelled; 0 missed, 0 unexpected findings, 0 not read');
});

test('what is missed, not expected or not read is named, and exits with 1', async () => {
  const folder = await corpus({
    'psu-failure/positive.txt': byHand(),
    'link-down/adjacent.txt': byHand(failure, 'no row of this format'),
    'link-down/negative.bin': '\u0000\u0001\u0002binary',
    'link-down/negative-unread.txt': '# Faultline recording from 2026-01-01T00:00:00Z\nno row of this format\n',
    'healthy/scary.txt': byHand(failure),
    'healthy/label.yaml': 'recordings:\n  scary:\n    why: a drill\n',
  });
  const { code, out, err } = await faultline('replay', folder);
  expect(code).toBe(1);
  expect(err).toContain('not all recordings are as labelled');
  expect(rowOf(out, 'psu-failure')).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  expect(rowOf(out, 'link-down')).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0]);
  expect(out).toContain('MISSED      psu-failure/positive: psu-failure, complete');
  expect(out).toMatch(/UNEXPECTED {2}healthy\/scary: psu-failure, .*2026-01-01T00:00:10.* to 2026-01-01/);
  expect(out).toContain('a drill');
  expect(out).toContain('REJECTS     link-down/adjacent: 1 row');
  expect(out).toContain('NOT READ    link-down/negative: ');
  expect(out).toContain('NOT READ    link-down/negative-unread: no row of it could be read');
  expect(out).toContain('0 of 5 recordings are as labelled; 1 missed, 2 unexpected findings, 2 not read');

  const json = JSON.parse((await faultline('replay', folder, '--json', '--pattern', 'psu-failure')).out);
  expect(json.totals).toEqual({ all: 2, held: 0, missed: 1, unexpected: 1, notRead: 0 });
  expect(json.recordings.map(({ name }: { name: string }) => name)).toEqual(['healthy/scary', 'psu-failure/positive']);
});

test.each([
  ['no recordings', { 'README.md': '' }, 'no labelled recordings'],
  ['a folder of no pattern', { 'psu-fail/positive.txt': byHand() }, 'the nearest is psu-failure'],
  ['a recording of no kind', { 'psu-failure/monday.txt': byHand() }, 'psu-failure/monday.txt has no label'],
  [
    'a label of nothing',
    { 'psu-failure/positive.txt': byHand(), 'psu-failure/label.yaml': 'recordings:\n  positve: {}\n' },
    'there is no recording positve, the nearest is positive',
  ],
  [
    'an unknown key of a label',
    { 'psu-failure/positive.txt': byHand(), 'psu-failure/label.yaml': 'recordings:\n  positive:\n    expects: []\n' },
    'psu-failure/label.yaml: line 3, recordings.positive.expects',
  ],
  [
    'an unknown pattern',
    {
      'psu-failure/positive.txt': byHand(),
      'psu-failure/label.yaml': 'recordings:\n  positive:\n    expect: [{pattern: over-load}]\n',
    },
    'there is no pattern over-load, the nearest is overload',
  ],
  [
    'a healthy recording that expects a finding',
    { 'healthy/a.txt': byHand(), 'healthy/label.yaml': 'recordings:\n  a:\n    expect: [{pattern: overload}]\n' },
    'a recording that is healthy cannot expect overload',
  ],
])('%s is refused in clear words', async (_what, files, words) => {
  const { code, out, err } = await faultline('replay', await corpus(files));
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(words);
});

test('thresholds of a file count, and are stated beside the findings', async () => {
  const lost = [
    '10 server:n1 psu_failover high redfish: on PSU-A',
    '400 server:n1 psu_restored low redfish: both',
    'until 1700',
  ];
  const folder = await corpus({
    'lost-redundancy/partial.txt': byHand(...lost).replace('pdu:PDU-A feeds server:n1\n', ''),
  });
  const defaults = (await faultline('thresholds')).out;
  const same = join(folder, 'same.yaml');
  const changed = join(folder, 'changed.yaml');
  await writeFile(same, defaults);
  await writeFile(changed, defaults.replace('redundancySeconds: 300', 'redundancySeconds: 1200'));
  const unchanged = await faultline('replay', folder, '--thresholds', same);
  expect([unchanged.code, unchanged.out.includes('thresholds changed')]).toEqual([0, false]);
  const missed = await faultline('replay', folder, '--thresholds', changed);
  expect(missed.code).toBe(1);
  expect(missed.out).toContain('thresholds changed: facility.redundancySeconds 1200 s (default 300 s)');
  expect((await faultline('replay', folder)).code).toBe(0);

  const path = join(folder, 'a.faultline');
  await faultline('import', path, join(folder, 'lost-redundancy/partial.txt'));
  const found = (...options: string[]) => faultline('patterns', path, '--pattern', 'lost-redundancy', ...options);
  expect((await found()).out).toContain('1 found');
  expect((await found('--thresholds', changed)).out).toMatch(
    /^thresholds changed: facility.redundancySeconds[\s\S]*no pattern/,
  );
  const report = await faultline('report', path, '--thresholds', changed);
  expect(report.out).toContain('Thresholds changed: facility.redundancySeconds 1200 s (default 300 s)');
  expect((await found('--thresholds', join(folder, 'none.yaml'))).err).toContain('there is no file');
});

test("a folder of one's own lists its patterns alone, and a folder that is not there is stated", async () => {
  const folder = await corpus({ 'psu-failure/positive.txt': byHand(failure), 'healthy/calm.txt': byHand() });
  const { out } = await faultline('replay', folder);
  expect(rowOf(out, 'psu-failure')).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  expect(rowOf(out, 'gpu-off-bus')).toBeUndefined();
  expect(out).toMatch(/^\d+ other patterns have no recording of their own here, and no finding in the healthy one$/m);
  const missing = await faultline('replay', join(folder, 'nowhere'));
  expect(missing.code).toBe(1);
  expect(missing.err).toContain(`there is no folder ${join(folder, 'nowhere')}`);
});
