import { describe, expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

const HOUR = 3600;
const ONSET = 700;
const xid = (seconds: number, device = 'GPU-A', code = 79) => ({
  ...event(`xid-${device}-${seconds}`, seconds, 'kernel', 'xid_error', device),
  raw_message: `NVRM: Xid (PCI:0000:9b:00): ${code}, GPU has fallen off the bus.`,
});
/** Another machine's, of about then. */
const watched = event('watched', 100, 'redfish', 'psu_failover', 'server-2', 'warning');

async function judged(rows: readonly unknown[], ...recorded: ReturnType<typeof event>[]) {
  const core = await memoryCore();
  await core.importJson({ service_metrics: rows }, { events: [watched] }, topology);
  const sources = core.sources(await core.importJson({ events: recorded }));
  const views = await core.api['incidents.list']({});
  const incident = views.find(({ service: name }) => name === 'inference')?.incident ?? views[0]?.incident;
  const clocks = await core.api['clocks.list']({});
  const clock = clocks.find(({ source_id }) => source_id === sources[0]?.source_id);
  return { core, incident, clock, source: sources[0]!.source_id };
}

const best = (incident: Awaited<ReturnType<typeof judged>>['incident']) => incident?.hypotheses[0];

describe('a recording that lies hours apart from every other', () => {
  test('is weighed as if in the zone in which its only event came right before the trouble, with a penalty', async () => {
    const { incident, clock, core } = await judged(service('inference'), xid(ONSET - 3 - 5 * HOUR));
    expect(clock).toMatchObject({ method: 'unknown', error: 'unknown' });
    expect(clock?.remark).toBe(
      'no time in common with other data sources; possibly recorded 5 h behind the others, as in another time zone (UTC-5): 1 event would coincide with an onset, too few to confirm; used in ranking with a penalty',
    );
    expect(best(incident)).toMatchObject({ type: 'xid_error', subject: { id: 'GPU-A' } });
    const line = best(incident)?.evidence.find(({ text }) => text.startsWith('only if it was recorded'));
    expect(line).toMatchObject({
      sign: 'against',
      text: 'only if it was recorded 5 h behind the others, as in another time zone (UTC-5)',
    });
    const [ref] = line?.refs ?? [];
    expect(await core.api['evidence.get']({ ref: ref! })).toMatchObject({ ref });
    const { text } = await core.api['report.render']({});
    expect(text).toContain('possibly recorded 5 h behind the others');
  });

  test('counts for less than the same at the right time', async () => {
    const [apart, right] = [
      await judged(service('inference'), xid(ONSET - 3 + 2 * HOUR)),
      await judged(service('inference'), xid(ONSET - 3)),
    ].map(({ incident }) => best(incident));
    expect(apart).toMatchObject({ type: 'xid_error' });
    expect(right).toMatchObject({ type: 'xid_error' });
    expect(apart?.probability).toBeLessThan(right!.probability);
  });

  test('is not used if another event explains the impact in time', async () => {
    const core = await memoryCore();
    const inTime = xid(ONSET - 2);
    await core.importJson({ service_metrics: service('inference') }, { events: [watched, inTime] }, topology);
    await core.importJson({ events: [xid(ONSET - 3 - 5 * HOUR)] });
    const [view] = await core.api['incidents.list']({});
    expect(best(view?.incident)).toMatchObject({ event_id: inTime.id, subject: { id: 'GPU-A' } });
    expect(best(view?.incident)?.evidence.some(({ text }) => text.startsWith('only if'))).toBe(false);
  });

  test('is taken as it is beside the hour, where two zones would do, or at hours that no zone has', async () => {
    for (const recorded of [
      [xid(ONSET - 5 * HOUR - 700)],
      [xid(ONSET - 3 - 5 * HOUR), xid(ONSET - 2 - 4 * HOUR)],
      [xid(ONSET - 3 - 5.25 * HOUR)],
      // Another service's GPU, and a harmless event.
      [xid(ONSET - 3 - 5 * HOUR, 'GPU-B')],
      [event('e', ONSET - 3 - 5 * HOUR, 'redfish', 'psu_failover', 'server-1')],
    ]) {
      const { clock, incident } = await judged(service('inference'), ...recorded);
      expect(clock?.remark).toMatch(/^not estimated/);
      expect(
        incident?.hypotheses.every(({ evidence }) => evidence.every(({ text }) => !text.includes('only if'))),
      ).toBe(true);
    }
  });

  test('is taken as it is where so much goes wrong that some hour always fits', async () => {
    const minutes = Array.from({ length: 12 }, (_, i) => xid(ONSET - 3 - 5 * HOUR - 240 * i));
    const { clock } = await judged(service('inference'), ...minutes);
    expect(clock?.remark).toMatch(/^not estimated/);
  });

  test('a what-if shift by the investigator is used', async () => {
    const { core, source, incident } = await judged(service('inference'), xid(ONSET - 3 - 5 * HOUR));
    expect(best(incident)?.type).toBe('xid_error');
    const shifted = async (seconds: number) => {
      const clock_shifts = [{ source: String(source), seconds }];
      const { incidents } = await core.api['incidents.whatIf']({ what_if: { clock_shifts } });
      return JSON.stringify(
        incidents.map(({ after }) => after),
        (_, value) => (typeof value === 'bigint' ? `${value}` : value),
      );
    };
    // As it was recorded, and right by somebody's word.
    expect(await shifted(0)).not.toContain('only if it was recorded');
    const right = await shifted(5 * HOUR);
    expect(right).toContain('xid_error');
    expect(right).not.toContain('only if it was recorded');
  });
});
