import { describe, expect, test } from 'vitest';
import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import { softwareSuspects } from '../../src/core/analysis/software/software-suspects.ts';
import { traceBlame } from '../../src/core/analysis/software/trace-blame.ts';
import { atSecond, every, softwareCase } from '../support/software-case.ts';

/** Ten minutes of normal, three of trouble, one request a second. */
const NORMAL = every(1, 0, 600);
const TROUBLE = every(1, 600, 780);
const AFTER = every(1, 780, 900);
const PHASES = {
  before_from_ns: atSecond(0),
  before_to_ns: atSecond(600),
  window_from_ns: atSecond(600),
  window_to_ns: atSecond(780),
};

const NORMAL_TRACES = `
  web GET /book        <----------------------->
    web ->reserve       <-------------------->
      seat reserve       <------------------>
        seat ->query       <--->
          stock query       <->
    web ->price                               <->
      price quote                             <>
`;
/** The seat service itself takes long; what it calls does not. */
const SLOW_SEAT = `
  web GET /book        <------------------------------------------------------------------------------------------------------------->
    web ->reserve       <---------------------------------------------------------------------------------------------------------->
      seat reserve       <-------------------------------------------------------------------------------------------------------->
        seat ->query       <--->
          stock query       <->
    web ->price                                                                                                                      <->
      price quote                                                                                                                    <>
`;
/** The stock service fails, and everybody above passes the failure on. */
const FAILING_STOCK = `
  web GET /book        <-----------------------!
    web ->reserve       <--------------------!
      seat reserve       <------------------!
        seat ->query       <---!
          stock query       <-!
`;

describe('who is slow', () => {
  test('self time blames the service that took the time, not its callers', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests([...NORMAL, ...AFTER], NORMAL_TRACES);
      recording.requests(TROUBLE, SLOW_SEAT);
    });
    const { suspects, phases } = await softwareSuspects(reader);
    expect(suspects[0]).toMatchObject({
      subject: { kind: 'service', id: 'seat' },
      type: 'service_latency',
      span: 'reserve',
    });
    expect(suspects[0]?.evidence.map(evidenceText).join('\n')).toMatch(
      /self time of `reserve` in seat rose from \d+(\.\d+)? to \d+(\.\d+)? ms|rose from [\d.]+ ms to [\d.]+ ms \(p95, 180 spans\)/,
    );
    expect(suspects[0]?.score).toBeGreaterThan(3);
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(0);
    expect(Number(phases?.window_from_ns) / 1e9).toBeCloseTo(Number(atSecond(600)) / 1e9, -1.5);
  });

  test.each([-60, 60])('a failure time that is off by %d s names the same', async (off) => {
    const reader = await softwareCase((recording) => {
      recording.requests([...NORMAL, ...AFTER], NORMAL_TRACES);
      recording.requests(TROUBLE, SLOW_SEAT);
    });
    const { suspects } = await softwareSuspects(reader, { at_ns: atSecond(600 + off) });
    expect(suspects[0]).toMatchObject({ subject: { id: 'seat' }, span: 'reserve' });
  });

  test('one slow pod of three is named, a service that is slow everywhere is not', async () => {
    const onPod = (drawing: string, pod: string) => drawing.replace('seat reserve', `seat@${pod} reserve`);
    const pods = ['seat-a', 'seat-b', 'seat-c'];
    const reader = await softwareCase((recording) => {
      for (const [i, pod] of pods.entries()) {
        const mine = (seconds: readonly number[]) => seconds.map((second) => second + i / 10);
        recording.requests(mine(NORMAL), onPod(NORMAL_TRACES, pod));
        recording.requests(mine(TROUBLE), onPod(pod === 'seat-b' ? SLOW_SEAT : NORMAL_TRACES, pod));
      }
    });
    const { findings } = traceBlame(await reader.spanShifts(PHASES), String);
    expect(findings[0]).toMatchObject({ span: 'reserve', instance: 'seat-b' });
    const all = await softwareCase((recording) => {
      for (const pod of pods) {
        recording.requests(NORMAL, onPod(NORMAL_TRACES, pod));
        recording.requests(TROUBLE, onPod(SLOW_SEAT, pod));
      }
    });
    expect(traceBlame(await all.spanShifts(PHASES), String).findings[0]).toMatchObject({
      span: 'reserve',
      instance: null,
    });
  });

  test('a rare service of which every span is slow is found beside a busy one', async () => {
    const busy = 'gate GET /      <--------->\n  gate render    <-->';
    const rare = (share: number) => `
      food find     <${'-'.repeat(40 * share)}>
        food load    <${'-'.repeat(10 * share)}>
        food parse   ${' '.repeat(10 * share + 2)}<${'-'.repeat(8 * share)}>
        food merge   ${' '.repeat(20 * share)}<${'-'.repeat(6 * share)}>`;
    const reader = await softwareCase((recording) => {
      recording.requests(every(0.5, 0, 780), busy);
      recording.requests(every(40, 3, 600), rare(1));
      recording.requests(every(40, 603, 780), rare(6));
    });
    const { findings } = traceBlame(await reader.spanShifts(PHASES), String);
    const reported = findings.filter(({ span }) => span === null).flatMap(({ evidence }) => evidence);
    expect(reported.map(evidenceText).join()).toMatch(/^\d+ of 20 spans of \d, of 4 names, had a longer self time/);
    expect(reported[0]?.weight).toBeGreaterThan(3);
    const { suspects } = await softwareSuspects(reader, { at_ns: atSecond(600) });
    expect(suspects[0]).toMatchObject({ subject: { id: 'food' }, type: 'service_latency' });
    expect(suspects.filter(({ score, subject }) => score > 0 && subject.id !== 'food')).toEqual([]);
  });

  test('children that overlap are taken off once', async () => {
    const reader = await softwareCase((recording) =>
      recording.requests(
        every(1, 0, 20),
        `
        web fan-out     <--------------------------------------->
          web ->left     <------------------->
          web ->right         <----------------------->
      `,
      ),
    );
    const facts = await reader.spanShifts({ ...PHASES, before_to_ns: atSecond(10), window_from_ns: atSecond(10) });
    const parent = facts.find(({ name, phase, of_instance }) => name === 'fan-out' && phase === 1 && !of_instance);
    // Of 41 columns the two children cover 30 together.
    expect((parent?.self_mean_ms ?? 0) / (parent?.entry_mean_ms ?? 1)).toBeCloseTo(11 / 41, 2);
  });
});

describe('who fails', () => {
  test('the deepest error is the originating one', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests([...NORMAL, ...AFTER], NORMAL_TRACES);
      recording.requests(
        TROUBLE.filter((_, i) => i % 3 > 0),
        NORMAL_TRACES,
      );
      recording.requests(
        TROUBLE.filter((_, i) => i % 3 === 0),
        FAILING_STOCK,
      );
    });
    const { suspects } = await softwareSuspects(reader);
    expect(suspects[0]).toMatchObject({ subject: { id: 'stock' }, type: 'service_errors', span: 'query' });
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(0);
  });

  test('unanswered calls incriminate the callee', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests(NORMAL, NORMAL_TRACES);
      recording.requests(
        TROUBLE,
        `
        web GET /book        <--------------------------------------------------------------!
          web ->reserve       <-----------------------------------------------------------!
            seat reserve       <---------------------------------------------------------!
              seat ->query       <----------------------------------------------------!
        `,
      );
    });
    const { suspects } = await softwareSuspects(reader);
    expect(suspects[0]).toMatchObject({ subject: { id: 'stock' }, type: 'service_unreachable' });
    expect(suspects[0]?.evidence.some((one) => evidenceText(one).includes('reached no span of stock'))).toBe(true);
  });

  test('time in calls that hang is none of the caller, though the callee records one request of five', async () => {
    const unrecorded = NORMAL_TRACES.split('\n')
      .filter((line) => !line.includes('stock query'))
      .join('\n');
    const hanging = `
        web GET /book        <--------------------------------------------------------------!
          web ->reserve       <-----------------------------------------------------------!
            seat reserve       <---------------------------------------------------------!
              seat ->query       <----------------------------------------------------!
        `;
    const reader = await softwareCase((recording) => {
      recording.requests(
        NORMAL.filter((_, i) => i % 5 === 0),
        NORMAL_TRACES,
      );
      recording.requests(
        NORMAL.filter((_, i) => i % 5 > 0),
        unrecorded,
      );
      recording.requests(TROUBLE, hanging);
    });
    const { suspects } = await softwareSuspects(reader);
    expect(suspects[0]).toMatchObject({ subject: { id: 'stock' }, span: '->query' });
    expect(suspects.find(({ subject }) => subject.id === 'seat')?.score ?? -1).toBeLessThan(suspects[0]!.score / 2);
  });

  test('a caller that stops calling is not excused by the callee that it starves', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests(NORMAL, NORMAL_TRACES);
      recording.requests(TROUBLE, `web GET /book        <--!`);
    });
    const { suspects } = await softwareSuspects(reader);
    expect(suspects[0]?.subject.id).toBe('web');
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(0);
  });
});

describe('who leaves something out', () => {
  /** No error and no delay: the seat service returns before it asks the stock, and the web service makes no offer then. */
  const EARLY_RETURN = `
    web GET /book        <---------------->
      web ->reserve       <--------------->
        seat reserve       <------------->
  `;
  test('the deepest service that skips a step', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests([...NORMAL, ...AFTER], NORMAL_TRACES);
      recording.requests(TROUBLE, EARLY_RETURN);
    });
    const { suspects } = await softwareSuspects(reader, { at_ns: atSecond(600) });
    expect(suspects[0]).toMatchObject({ subject: { id: 'seat' }, type: 'service_step_missing' });
    expect(suspects[0]?.evidence.map(evidenceText).join()).toMatch(
      /`reserve` in seat went on to `->query` in \d+ of \d+ runs, in 100 % of them before/,
    );
    for (const { subject, score } of suspects.slice(1)) expect(score, subject.id).toBeLessThan(suspects[0]?.score ?? 0);
  });
  test('what is skipped because something failed is no finding', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests(NORMAL, NORMAL_TRACES);
      recording.requests(TROUBLE, FAILING_STOCK);
    });
    expect(await reader.spanSteps(PHASES)).toEqual([]);
  });
  test('other requests than before are no skipped steps', async () => {
    const reader = await softwareCase((recording) => {
      recording.requests(NORMAL, NORMAL_TRACES);
      recording.requests(TROUBLE, 'web GET /health      <-->');
    });
    expect(await reader.spanSteps(PHASES)).toEqual([]);
  });
});

describe('no suspect', () => {
  test('a healthy recording has no suspect, whatever window is asked for', async () => {
    const reader = await softwareCase((recording) =>
      recording.requests([...NORMAL, ...TROUBLE, ...AFTER], NORMAL_TRACES),
    );
    expect(await softwareSuspects(reader)).toMatchObject({ suspects: [], phases: null });
    const { suspects } = await softwareSuspects(reader, { at_ns: atSecond(640) });
    expect(suspects.filter(({ score }) => score > 0)).toEqual([]);
    expect(suspects.flatMap(({ evidence }) => evidence.slice(1)).filter(({ weight }) => weight > 0)).toEqual([]);
  });

  test('an empty case has neither suspects nor a window', async () => {
    const reader = await softwareCase(() => undefined);
    expect(await softwareSuspects(reader)).toMatchObject({ suspects: [], phases: null });
  });

  test('slow requests that are spread over both phases alike have no suspect', async () => {
    const reader = await softwareCase((recording) => {
      const all = [...NORMAL, ...TROUBLE];
      recording.requests(
        all.filter((_, i) => i % 4 > 0),
        NORMAL_TRACES,
      );
      recording.requests(
        all.filter((_, i) => i % 4 === 0),
        SLOW_SEAT,
      );
    });
    const { findings } = traceBlame(await reader.spanShifts(PHASES), String);
    expect(findings).toEqual([]);
  });
});
