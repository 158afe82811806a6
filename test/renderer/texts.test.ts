import { expect, test } from 'vitest';
import { tiedWithFirst } from '../../src/model/incident/tied-hypotheses.ts';
import { nanos } from '../../src/model/time.ts';
import { parseLength, passesFilter } from '../../src/renderer/draw/tables/cell-filter.ts';
import { narrowTable, tableJson, tableMarkdown } from '../../src/renderer/draw/tables/table-cells.ts';
import { clockText } from '../../src/renderer/draw/text/format-clock.ts';
import { formatWeight, hypothesisText, readableTypes } from '../../src/renderer/draw/text/format-record.ts';
import { parseShift, shiftText } from '../../src/renderer/draw/text/format-shift.ts';
import { formatProbability } from '../../src/renderer/draw/text/format-value.ts';
import { shortUuid } from '../../src/renderer/draw/text/gpu-text.ts';
import { impactRows, impactSentence } from '../../src/renderer/views/causes/headline-text.ts';

const passes = (filter: string, text: string, figure: number | null = null) =>
  passesFilter(filter, { text, figure }, (limit) => parseLength(limit, 'ms'));

test('a filter contains, excludes, equals, and compares in its unit', () => {
  expect(passes('PSU', 'psu_failover')).toBe(true);
  expect(passes('!psu', 'psu_failover')).toBe(false);
  expect(passes('= critical', 'critical')).toBe(true);
  expect(passes('= critic', 'critical')).toBe(false);
  for (const half of ['', '  ', '>', '!', '>= ']) expect(passes(half, 'anything')).toBe(true);
  const twoSeconds = [2e9, '2 s'] as const;
  for (const [filter, expected] of [
    ['> 1.5 s', true],
    ['> 1999', true],
    ['> 2 s', false],
    ['>= 2000 ms', true],
    ['< 1 m', true],
    ['<= 2000000 µs', true],
    ['= 2 s', true],
  ] as const)
    expect([filter, passes(filter, twoSeconds[1], twoSeconds[0])]).toEqual([filter, expected]);
  // Times of day compare as text; an empty cell compares with nothing.
  expect(passes('> 02:18:03', '02:18:04.100')).toBe(true);
  expect(passes('> 1', '')).toBe(false);
});

test('a filtered table keeps its order and its units', () => {
  const table = {
    columns: [
      { name: 'ref', type: 'VARCHAR' },
      { name: 'start_ns', type: 'BIGINT' },
      { name: 'duration_ms', type: 'DOUBLE' },
      { name: 'note', type: 'VARCHAR' },
    ],
    rows: [
      ['span:1', 1_767_225_600_000_000_000n, 12.5, 'a|b'],
      ['span:2', 1_767_225_601_000_000_000n, 1500, 'slow'],
      ['span:3', 1_767_225_602_000_000_000n, null, 'unknown'],
    ],
    truncated: false,
  };
  const format = { mode: 'utc', originNs: nanos(0n) } as const;
  const narrow = (filters: Record<string, string>, hidden: readonly string[] = []) =>
    narrowTable(table, { filters, hidden, format });
  expect(narrow({ duration_ms: '< 1 s' }).rows.map(([ref]) => ref)).toEqual(['span:1']);
  expect(narrow({ start_ns: '> 00:00:00.5' }).rows).toHaveLength(2);
  // Hidden columns do not filter.
  expect(narrow({ note: 'slow' }, ['note']).rows).toHaveLength(3);
  const { shown } = narrow({ note: '!unknown' }, ['ref']);
  expect(tableMarkdown(shown, format).split('\n')).toEqual([
    '| start (UTC) | duration | note |',
    '| --- | --- | --- |',
    '| 00:00:00.000000 | 12.5 ms | a\\|b |',
    '| 00:00:01.000000 | 1.5 s | slow |',
  ]);
  expect(JSON.parse(tableJson(shown))[1]).toEqual({
    start_ns: '1767225601000000000',
    duration_ms: 1500,
    note: 'slow',
  });
});

test('shifts are parsed in common notations', () => {
  for (const [text, seconds] of [
    ['2.5', 2.5],
    ['-90 s', -90],
    ['\u221290s', -90],
    ['+1 h', 3600],
    ['1h 30m', 5400],
    ['250 ms', 0.25],
    ['soon', null],
    ['', null],
    ['0', null],
    ['1 d', null],
    ['9000 h', null],
  ] as const)
    expect([text, parseShift(text)]).toEqual([text, seconds]);
  expect(shiftText(-3600)).toBe('1 h earlier');
  expect(shiftText(0.25)).toBe('250 ms later');
});

test('an hour of offset does not hide half a second, and a small weight never reads as zero', () => {
  const estimateText = (offset: bigint, uncertainty: bigint) =>
    clockText({ clock_offset_ns: offset, clock_uncertainty_ns: uncertainty });
  expect(estimateText(3_600_500_000_000n, 100_000_000n)).toBe('+1 h 0.5 s ± 0.10 s');
  expect(estimateText(-5_400_000_000_000n, 0n)).toBe('\u22121 h 30 m');
  expect(estimateText(1_800_000_000n, 200_000_000n)).toBe('+1.80 s ± 0.20 s');
  expect(estimateText(0n, 1_000_000_000n)).toBe('0 s ± 1.00 s');
  expect([2.71, -0.4, 0.04, -0.02, -0.001, 0].map(formatWeight)).toEqual([
    ...['+2.7', '\u22120.4', '+0.04', '\u22120.02'],
    ...['\u2248 0', '0'],
  ]);
});

test('the UUID of a card is cut in its middle: cards of one machine may begin alike', () => {
  const cards = [0, 3].map((card) => shortUuid(`GPU-00000001-0000-4000-8000-00000000000${card}`));
  expect(cards).toEqual(['GPU-00000001…0000', 'GPU-00000001…0003']);
  expect(shortUuid('gpu-node-05/GPU-3')).toBe('gpu-node-05/GPU-3');
});

test('hypotheses and evidence show readable types; names stay unchanged', () => {
  expect(hypothesisText({ subject: { kind: 'pdu', id: 'PDU_B' }, type: 'voltage_sag' })).toBe('voltage sag on PDU_B');
  expect(hypothesisText({ subject: null, type: 'insufficient_evidence' })).toBe('not enough evidence');
  expect(readableTypes('explains psu_failover on rack_b_node_2, 1 s later')).toBe(
    'explains psu failover on rack_b_node_2, 1 s later',
  );
});

test('if only errors rose, the impact sentence mentions only errors', () => {
  const impact = {
    ...{ p99_baseline_ms: 100, p99_peak_ms: 101, error_rate_baseline_percent: 0.9, error_rate_peak_percent: 9.7 },
    ...{ throughput_baseline_rps: null, throughput_first_anomaly_rps: null, throughput_first_change_percent: null },
  };
  const view = {
    service: 'chat-api',
    onset_ns: 0n,
    onset_earliest_ns: -10_000_000_000n,
    previous_ns: -10_000_000_000n,
    end_ns: 60_000_000_000n,
    recovered_ns: 70_000_000_000n,
    incident: {
      impact,
      harm: 'degraded',
      slowed_times: null,
      work: 'requests',
      affected_services: ['chat-api'],
      affected_parts: [],
    },
  };
  expect(impactSentence(view as never)).toBe('chat-api was degraded for 60 s: errors 0.9 → 9.7 % at worst.');
  const lasting = { ...view, recovered_ns: null };
  expect(impactSentence(lasting as never)).toContain('was degraded for at least 60 s: errors');
  expect(impactSentence({ ...lasting, onset_ns: view.end_ns } as never)).toContain('degraded in its last measurement');
  const slower = {
    ...view,
    incident: { ...view.incident, impact: { ...impact, p99_peak_ms: 250, p99_change_percent: 150 } },
  };
  expect(impactSentence(slower as never)).toContain('p99 100 → 250 ms (× 2.5), errors');
  const long = {
    ...impact,
    ...{ p99_baseline_ms: 16_844.4, p99_first_anomaly_ms: 37_054.5, p99_peak_ms: 84_900.1, p99_change_percent: 404 },
    error_rate_first_anomaly_percent: 0,
  };
  const seconds = { ...view, incident: { ...view.incident, impact: long } };
  expect(impactSentence(seconds as never)).toContain('p99 16.84 → 84.9 s (× 5.0), errors');
  expect(impactRows(seconds.incident as never)[0]).toMatchObject({ baseline: '16.84 s', peak: '84.9 s' });
  const stalled = { ...view, incident: { ...view.incident, harm: 'stalled', work: 'collectives' } };
  expect(impactSentence(stalled as never)).toBe(
    'chat-api stalled: its ranks wait in a collective operation, and no record shows that it went on. It lasts at least 60 s.',
  );
  const rated = (rate: number) => ({ ...impact, throughput_baseline_rps: rate, throughput_peak_rps: 0 });
  const before = (rate: number) =>
    impactSentence({
      ...view,
      incident: { ...view.incident, harm: 'ended', work: 'steps', impact: rated(rate) },
    } as never);
  expect(before(1)).toMatch(/ It had completed 1 step\/s before\.$/);
  expect(before(2)).toMatch(/ It had completed 2 steps\/s before\.$/);
  const unseen = { ...view, onset_earliest_ns: 0n, previous_ns: -7_200_000_000_000n };
  expect(impactSentence(unseen as never)).toMatch(/ The onset is unknown: nothing was measured in the .* before\.$/);
  const first = { ...view, onset_earliest_ns: 0n, previous_ns: 0n };
  expect(impactSentence(first as never)).toMatch(/ The onset is unknown: the first measurement is already degraded\.$/);
});

test('hypotheses that cannot be distinguished are named together; a leader is named alone', () => {
  const at = (...probabilities: number[]) => probabilities.map((probability) => ({ probability }));
  expect(tiedWithFirst(at(0.49, 0.49, 0.02))).toEqual(at(0.49));
  expect(tiedWithFirst(at(0.23, 0.23, 0.2, 0.1))).toEqual(at(0.23, 0.2));
  expect(tiedWithFirst(at(0.55, 0.4))).toEqual([]);
  expect(tiedWithFirst(at(0.7, 0.65))).toEqual([]);
  expect(tiedWithFirst([])).toEqual([]);
  expect([0, 1e-9, 0.004, 0.5, 0.9999, 1].map(formatProbability)).toEqual([
    '0.00',
    '< 0.01',
    '< 0.01',
    '0.50',
    '> 0.99',
    '1.00',
  ]);
});
