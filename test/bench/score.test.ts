import { expect, test } from 'vitest';
import type { Answer } from '../../bench/corpus/answer.ts';
import type { Label } from '../../bench/corpus/label.ts';
import { answerFor, judge, score } from '../../bench/corpus/score.ts';
import { calibrationError, share } from '../../bench/corpus/statistics.ts';
import type { Hypothesis } from '../../src/model/incident/incident.ts';

const SECOND = 1_000_000_000n;
const ONSET = 1_700_000_000n * SECOND;

const label = (change: Partial<Label> = {}): Label => ({
  id: 'pdu_sag-e-0',
  seed: 1,
  split: 'tune',
  family: 'pdu_sag',
  hard: false,
  variants: [],
  root: { kind: 'pdu', id: 'PDU-B' },
  alike: 0,
  root_equivalents: [{ kind: 'breaker', id: 'Q1' }],
  guilty_service: null,
  root_event_id: 'p-1',
  chain: [
    ['p-1', 'r-1'],
    ['r-1', 'n-1'],
  ],
  repeats: { 'r-2': 'r-1' },
  affected_services: ['chat'],
  onset_ns: ONSET,
  end_ns: ONSET + 100n * SECOND,
  withheld_layers: [],
  clock_offsets_s: {},
  expected: 'device',
  ...change,
});

const hypothesis = (probability: number, type: string, subject: Hypothesis['subject'] = null): Hypothesis => ({
  rank: 1,
  probability,
  subject,
  event_id: null,
  type,
  metric: null,
  evidence: [],
});
const pdu = hypothesis(0.9, 'voltage_sag', { kind: 'pdu', id: 'PDU-B' });
const other = hypothesis(0.7, 'link_flap', { kind: 'switch', id: 'tor' });

const answer = (change: Partial<Answer> = {}): Answer => ({
  service: 'chat',
  onset_ns: ONSET + 5n * SECOND,
  end_ns: ONSET + 100n * SECOND,
  hypotheses: [pdu, other],
  chain: [],
  links: [],
  missing_layers: [],
  ...change,
});
const judged = (answers: readonly Answer[], change: Partial<Label> = {}) =>
  judge({ label: label(change), answers, milliseconds: 1 });

test('the answer that counts is that of an affected service nearest to the onset', () => {
  const early = answer({ onset_ns: ONSET - 150n * SECOND, end_ns: ONSET - 140n * SECOND });
  const near = answer();
  const elsewhere = answer({ service: 'search', onset_ns: ONSET });
  expect(answerFor({ label: label(), answers: [early, elsewhere, near], milliseconds: 0 })).toBe(near);
  const long_ago = answer({ onset_ns: ONSET - 900n * SECOND, end_ns: ONSET - 800n * SECOND });
  expect(answerFor({ label: label(), answers: [long_ago, elsewhere], milliseconds: 0 })).toBeUndefined();
});

test('rank, equivalents and misses', () => {
  expect(judged([answer()]).rank).toBe(1);
  expect(judged([answer({ hypotheses: [other, pdu] })]).rank).toBe(2);
  expect(judged([answer({ hypotheses: [hypothesis(1, 'breaker_trip', { kind: 'breaker', id: 'Q1' })] })]).rank).toBe(1);
  // The same name of another kind is another entity.
  expect(judged([answer({ hypotheses: [hypothesis(1, 'x', { kind: 'server', id: 'PDU-B' })] })]).rank).toBe(Infinity);
  const missed = judged([]);
  expect([missed.rank, missed.chainF1]).toEqual([Infinity, 0]);
  expect(score([missed, judged([answer()])]).missed.value).toBe(0.5);
});

test('chain edges are compared with repeats taken as one', () => {
  const chain = [
    ['p-1', 'r-2'],
    ['r-2', 'x-9'],
  ] as const;
  // One of two answers is right, one of two true ones is answered.
  expect(judged([answer({ chain })]).chainF1).toBe(0.5);
});

test('a device with more than even odds is an accusation where there is none to blame', () => {
  const innocent = { root: null, root_equivalents: [], expected: 'no_physical_cause', guilty_service: 'chat' } as const;
  expect(judged([answer()], innocent).accused).toBe(true);
  expect(judged([answer({ hypotheses: [hypothesis(0.45, 'x', pdu.subject)] })], innocent).accused).toBe(false);
  const software = [hypothesis(0.9, 'no_physical_cause'), pdu];
  expect(judged([answer({ hypotheses: software })], innocent)).toMatchObject({ accused: false, rank: 1 });
  const service = [hypothesis(0.9, 'latency', { kind: 'service', id: 'chat' })];
  expect(judged([answer({ hypotheses: service })], innocent)).toMatchObject({ accused: false, rank: 1 });
  // On a healthy night any window may accuse.
  const healthy = { ...innocent, expected: 'none', affected_services: [] } as const;
  expect(judged([answer({ hypotheses: software }), answer({ service: 'search' })], healthy).accused).toBe(true);
  expect(judged([], healthy).accused).toBe(false);
});

test('a link is right when the true chain has it, the one to the service when it comes from the chain', () => {
  const links = [
    { cause: 'p-1', effect: 'r-2', probability: 0.9 },
    { cause: 'p-1', effect: 'n-1', probability: 0.4 },
    { cause: 'n-1', effect: null, probability: 0.8 },
  ];
  expect(judged([answer({ links })]).links).toEqual([
    { probability: 0.9, right: true },
    { probability: 0.4, right: false },
    { probability: 0.8, right: true },
  ]);
  const software = { expected: 'no_physical_cause', root_event_id: null, chain: [] } as const;
  expect(judged([answer({ links })], software).links).toEqual([{ probability: 0.8, right: false }]);
  expect(judged([answer({ links })], { expected: 'insufficient_evidence' }).links).toEqual([]);
});

test('a missing layer is admitted by the verdict, or by naming it', () => {
  const withheld = { expected: 'insufficient_evidence', withheld_layers: ['power'] } as const;
  expect(judged([answer()], withheld).admitted).toBe(false);
  expect(judged([answer({ missing_layers: ['power', 'cooling'] })], withheld).admitted).toBe(true);
  expect(judged([answer({ missing_layers: ['cooling'] })], withheld).admitted).toBe(false);
  const open = [hypothesis(0.6, 'insufficient_evidence'), pdu];
  expect(judged([answer({ hypotheses: open })], withheld)).toMatchObject({ admitted: true, rank: 1 });
});

test('intervals and calibration', () => {
  // Wilson's interval for 8 of 10, by his formula: 0.4902 to 0.9433.
  const figure = share(Array.from({ length: 10 }, (_, i) => i < 8));
  expect(figure.low).toBeCloseTo(0.4902, 3);
  expect(figure.high).toBeCloseTo(0.9433, 3);
  const judgements = Array.from({ length: 10 }, (_, i) => ({ probability: 0.75, right: i < 5 }));
  expect(calibrationError(judgements)).toBeCloseTo(0.25);
  expect(calibrationError([{ probability: 1, right: true }])).toBe(0);
});
