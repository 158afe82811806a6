import { expect, test } from 'vitest';
import { investigate } from '../../src/core/analysis/correlate.ts';
import { createReader, type Reader } from '../../src/core/store/facts/reader.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { addRecording, atSecond, every, numbersFrom, type Recording, recordedCase } from '../support/software-case.ts';

const HOUR = 3600;
/** Half a year later. */
const LATER = 180 * 24 * HOUR;

/** Twelve intervals of five minutes or more: web calls a jumpy and a steady service. */
function fill(recording: Recording, from: number, count: number, p99: (name: string, i: number) => number): void {
  for (const service of ['web', 'jumpy', 'steady']) {
    const seconds = every(300, from, from + 300 * count);
    const value = (second: number) => p99(service, (second - from) / 300);
    recording.metric('service.latency.p95', { service, seconds }, (second) => 0.9 * value(second));
    recording.metric('service.latency.p99', { service, seconds }, value);
    recording.metric('service.throughput', { service, seconds }, () => 4);
  }
}

/** Two intervals before the failure, two in it. Jumpy is often 200 ms slower, steady never was before. */
async function incidentAndNormalDays(): Promise<Reader> {
  const session = await recordedCase((recording) => {
    recording.calls('web', 'jumpy');
    recording.calls('web', 'steady');
    const figures: Readonly<Record<string, readonly number[]>> = {
      web: [300, 301, 620, 612, 302],
      jumpy: [60, 61, 270, 262, 62],
      steady: [50, 50, 200, 198, 51],
    };
    fill(recording, HOUR, 5, (name, i) => figures[name]![i]!);
  });
  const random = numbersFrom(3);
  await addRecording(session, 'days/normal.jsonl', (recording) =>
    fill(recording, LATER, 100, (name) => {
      if (name === 'jumpy') return random() < 0.3 ? 700 : 120;
      return (name === 'web' ? 500 : 110) * (0.97 + 0.06 * random());
    }),
  );
  return createReader(session);
}

const namedWith = async (baseline_of: readonly string[]) => {
  const options = correlateOptionsSchema.parse({ service: 'web', baseline_of });
  const { conclusions } = await investigate(await incidentAndNormalDays(), options);
  return conclusions.map(({ window, incident }) => ({
    onset_ns: window.onset_ns,
    first: incident.hypotheses.find(({ subject }) => subject?.kind === 'service')?.subject?.id,
  }));
};

test('a recording of normal days shows which service varies anyway', async () => {
  expect((await namedWith(['normal.jsonl'])).map(({ first }) => first)).toEqual(['steady']);
});

test('without it, the service that rose by more is named', async () => {
  expect((await namedWith([])).map(({ first }) => first)).toContain('jumpy');
});

test('the baseline is the time before the incident, though normal days were recorded after it', async () => {
  const session = await recordedCase((recording) => {
    recording.calls('web', 'jumpy');
    const figures = { web: [300, 560, 900, 890, 870], jumpy: [60, 340, 640, 630, 610], steady: [50, 50, 51, 50, 50] };
    fill(recording, HOUR, 5, (name, i) => figures[name as keyof typeof figures][i]!);
  });
  await addRecording(session, 'normal.jsonl', (recording) => fill(recording, LATER, 100, (_, i) => 100 + (i % 7)));
  const at = formatUtc(nanos(atSecond(HOUR + 30)));
  const options = correlateOptionsSchema.parse({ service: 'web', at, baseline_of: ['normal.jsonl'] });
  const { conclusions } = await investigate(createReader(session), options);
  const [first] = conclusions.flatMap(({ incident }) => incident.hypotheses.filter(({ subject }) => subject !== null));
  expect(first?.subject?.id).toBe('jumpy');
  const changes = first?.evidence.flatMap(({ parameters }) => JSON.stringify(parameters)).join() ?? '';
  expect(changes).toContain('"before":54');
});

test('normal days have no incidents, whatever happens in them', async () => {
  const session = await recordedCase((recording) => fill(recording, HOUR, 12, () => 100));
  await addRecording(session, 'normal.jsonl', (recording) =>
    fill(recording, LATER, 100, (_, i) => (i > 40 && i < 46 ? 5000 : 100)),
  );
  const incidentsWith = async (baseline_of: readonly string[]) =>
    (await investigate(createReader(session), correlateOptionsSchema.parse({ baseline_of }))).conclusions.length;
  expect(await incidentsWith([])).toBeGreaterThan(0);
  expect(await incidentsWith(['normal.jsonl'])).toBe(0);
});

test('a data source that is not in the case is a problem that lists those that are', async () => {
  const options = correlateOptionsSchema.parse({ baseline_of: ['calm.csv'] });
  await expect(investigate(await incidentAndNormalDays(), options)).rejects.toMatchObject({
    problem: { code: 'baseline.unknown', hint: expect.stringContaining('days/normal.jsonl') },
  });
});
