import { describe, expect, test } from 'vitest';
import { evidenceText } from '../../src/core/analysis/evidence/index.ts';
import { logTemplates } from '../../src/core/analysis/software/log-templates.ts';
import { TemplateMiner } from '../../src/core/analysis/software/template-miner.ts';
import type { LogBodyFact } from '../../src/core/store/facts/reader.ts';
import { atSecond, every, numbersFrom, softwareCase } from '../support/software-case.ts';

const minedFrom = (...lines: readonly string[]): string[] => {
  const miner = new TemplateMiner();
  return lines.map((line) => miner.add(line)).map((id) => miner.textOf(id));
};

describe('templates', () => {
  test.each([
    ['connection to 10.1.2.3:5432 timed out after 30 s', 'connection to <*> timed out after <*> s'],
    ['order da1e7d99-6e43-4d19-bbc3-6ac8099f6452 saved', 'order <*> saved'],
    ['TraceID: 2f182d58875095cc70b2a50fdda3e7cd begins', 'TraceID: <*> begins'],
    ['2026-01-29T08:51:24.968Z WARN [pool-7] slow: 3.5s', '<*> WARN [pool-<*>] slow: <*>s'],
    ['cannot open /var/lib/data/part-17.bin', 'cannot open /var/<*>'],
    ['upstream answered with status 503 in 12 ms', 'upstream answered with status 503 in <*> ms'],
    ['address 0xdeadbeef of bead', 'address <*> of bead'],
  ])('%s', (line, template) => expect(minedFrom(line)).toEqual([template]));

  test('lines of one kind are one template, whatever varies in them', () => {
    const words = ['alice', 'bob', 'carol'];
    const templates = minedFrom(...words.map((word) => `user logged in from somewhere far: ${word}`));
    expect(new Set(templates)).toEqual(new Set(['user logged in from somewhere far: <*>']));
  });

  test('what differs is kept apart', () => {
    expect(
      new Set(minedFrom('cache hit for key a', 'disk is full on host b', 'status 200 sent', 'status 500 sent')).size,
    ).toBe(4);
  });

  test('a masked text and the text itself are the same template', () => {
    expect(new Set(minedFrom('order <*> took <*> ms', 'order 123456 took 12 ms')).size).toBe(1);
  });

  test('there is an end to templates, not to lines', () => {
    const random = numbersFrom(3);
    const word = () =>
      Math.floor(random() * 1e9)
        .toString(36)
        .replaceAll(/\d/g, 'x');
    const miner = new TemplateMiner({ mostTemplates: 50 });
    const ids = Array.from({ length: 2000 }, () => miner.add(Array.from({ length: 6 }, word).join(' ')));
    expect(miner.count).toBe(50);
    expect(ids).toContain(-1);
  });

  test('200 000 lines: time in proportion, a handful of templates', () => {
    const timeOf = (lines: number): number => {
      const miner = new TemplateMiner();
      const from = performance.now();
      for (let i = 0; i < lines; i++)
        miner.add(
          `request ${i} of ${'abcdef'[i % 6]}${i % 977} from 10.0.0.${i % 255} took ${i % 91} ms, ${['ok', 'retry', 'late'][i % 3]}`,
        );
      expect(miner.count).toBeLessThan(20);
      return performance.now() - from;
    };
    timeOf(10_000);
    const [few, many] = [timeOf(50_000), timeOf(200_000)];
    expect(many).toBeLessThan(12 * few);
  });
});

const PHASES = {
  before_from_ns: atSecond(0),
  before_to_ns: atSecond(600),
  window_from_ns: atSecond(600),
  window_to_ns: atSecond(720),
};
const all = every(1, 0, 720);
const window = all.filter((second) => second >= 600);
const normalLine = (second: number) => `handled request ${second * 7919} in ${second % 83} ms`;

describe('what a window brought', () => {
  test('a new error message is reported with its service, and a line to look at', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of all)
        for (const service of ['cart', 'web']) recording.log(second, service, normalLine(second));
      for (const second of window)
        recording.log(second, 'cart', `cannot reserve seat ${second}: pool of 10 is exhausted`, 17);
    });
    const { findings } = await logTemplates(reader.logBodies(PHASES), PHASES, (key) => `service ${key}`);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      type: 'log_template',
      template: 'cannot reserve seat <*>: pool of <*> is exhausted',
    });
    expect(findings[0]?.evidence.map(evidenceText)[0]).toMatch(
      /^new error message in service \d, 120 times and never before/,
    );
    expect(findings[0]?.evidence[0]?.refs[0]).toMatch(/^log:1\/\d+$/);
    expect(findings[0]?.weight).toBeGreaterThan(2);
  });

  test('a line with ERROR only in its text counts as one', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of all) recording.log(second, 'cart', `INFO ${normalLine(second)}`, 0);
      for (const second of window) recording.log(second, 'cart', `ERROR no contact ${second} was found`, 0);
    });
    const { findings } = await logTemplates(reader.logBodies(PHASES), PHASES, String);
    expect(findings[0]?.evidence.map(evidenceText)[0]).toMatch(/^new error message/);
  });

  test('a surge is reported, a rate that stays is not', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of all) {
        recording.log(second, 'cart', normalLine(second));
        if (second % 20 === 0) recording.log(second, 'cart', `retry ${second} of call to stock`, 13);
      }
      for (const second of window) recording.log(second + 0.5, 'cart', `retry ${second} of call to stock`, 13);
    });
    const { findings } = await logTemplates(reader.logBodies(PHASES), PHASES, String);
    expect(findings.map(({ template }) => template)).toEqual(['retry <*> of call to stock']);
    expect(findings[0]?.evidence.map(evidenceText)[0]).toContain('surged from 30 to 126');
  });

  test('twice the traffic is no news of any line', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of all)
        for (let i = 0; i < (second < 600 ? 1 : 4); i++)
          for (const body of [
            normalLine(second),
            `checked token of user ${second}`,
            `wrote row ${second} to table orders`,
          ])
            recording.log(second + i / 5, 'cart', body);
    });
    expect((await logTemplates(reader.logBodies(PHASES), PHASES, String)).findings).toEqual([]);
  });

  test('a burst in one second is one event, not a thousand', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of all) recording.log(second, 'cart', normalLine(second));
      for (let i = 0; i < 1000; i++) recording.log(650 + i / 2000, 'cart', `dump of entry ${i} of table routes`);
    });
    const { findings } = await logTemplates(reader.logBodies(PHASES), PHASES, String);
    expect(findings.every(({ weight }) => weight < 0.5)).toBe(true);
  });

  test('shuffled lines bring nothing', async () => {
    const random = numbersFrom(11);
    const reader = await softwareCase((recording) => {
      const bodies = [
        (n: number) => `read ${n} rows`,
        (n: number) => `cache miss ${n}`,
        (n: number) => `warning: slow query ${n}`,
      ];
      for (let i = 0; i < 5000; i++)
        recording.log(720 * random(), 'cart', bodies[Math.floor(3 * random() ** 2)]!(i), 13);
    });
    expect((await logTemplates(reader.logBodies(PHASES), PHASES, String)).findings).toEqual([]);
  });

  test('a service that was silent before is not news by each of its lines', async () => {
    const reader = await softwareCase((recording) => {
      for (const second of window) recording.log(second, 'late', normalLine(second));
    });
    expect((await logTemplates(reader.logBodies(PHASES), PHASES, String)).findings).toEqual([]);
  });

  test('lines without room for a template are counted, and nothing is claimed of them', async () => {
    const random = numbersFrom(5);
    const word = () =>
      Math.floor(random() * 1e12)
        .toString(36)
        .replaceAll(/\d/g, 'q');
    const fact = (): LogBodyFact => ({
      service: 1,
      failure: false,
      called: '',
      reason: '',
      body: Array.from({ length: 9 }, word).join(' '),
      before_lines: 1,
      window_lines: 1,
      before_seconds: 1,
      window_seconds: 1,
      before_first_ns: 1n,
      before_last_ns: 1n,
      window_first_ns: 2n,
      window_last_ns: 2n,
      ref: 'log:1/1',
    });
    async function* stretches() {
      for (let i = 0; i < 3; i++) yield Array.from({ length: 3000 }, fact);
    }
    const { left_out, templates, lines } = await logTemplates(stretches(), PHASES, String);
    expect({ left_out, templates, lines }).toEqual({ left_out: 8000, templates: 5000, lines: 18_000 });
  });
});
