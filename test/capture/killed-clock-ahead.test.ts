import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { CaptureEvent } from '../../src/model/contract/index.ts';
import { pause } from '../support/capture-run.ts';
import { faultline, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { postOtlp } from '../support/post-otlp.ts';

const HOUR_MS = 3_600_000;
/** The length of the gap, which real time makes. */
const DOWN_MS = 1000;

const logAt = (at_ms: number): string =>
  JSON.stringify({
    resourceLogs: [
      {
        scopeLogs: [
          { logRecords: [{ timeUnixNano: `${at_ms}000000`, body: { stringValue: 'from a clock that is ahead' } }] },
        ],
      },
    ],
  });

/** How often new rows were stored since the other feed was down. */
function flushesOf(events: readonly CaptureEvent[]): number {
  const isDown = events.findIndex(
    (event) => event.kind === 'feed' && event.feed === 'silent' && event.state === 'down',
  );
  return isDown < 0 ? 0 : events.slice(isDown).filter((event) => event.kind === 'written' && event.rows > 0).length;
}

test('a sender whose clock is an hour ahead moves no gap: neither that of a feed that was down nor the one after the kill', async () => {
  const folder = await temporaryFolder();
  const [plan, into] = [join(folder, 'plan.yaml'), join(folder, 'killed.faultline')];
  await writeFile(
    plan,
    `feeds:
  - {kind: otlp, name: sender, grpc: null, http: "127.0.0.1:0"}
  - {kind: prometheus, name: silent, url: "http://127.0.0.1:9/metrics", every_s: 1, timeout_s: 1}`,
  );
  const child = start('capture', plan, '--case', into, '--json');
  const events: CaptureEvent[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => events.push(JSON.parse(line) as CaptureEvent));
  const address = () =>
    events.flatMap((event) => (event.kind === 'feed' ? (/http (127\.0\.0\.1:\d+)/.exec(event.about) ?? []) : []))[1];
  await expect.poll(address).toBeDefined();
  const flushes = async () => {
    await postOtlp(`http://${address()}/v1/logs`, logAt(Date.now() + HOUR_MS));
    return flushesOf(events);
  };
  await expect.poll(flushes, { interval: 200 }).toBeGreaterThanOrEqual(2);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const killed_ms = Date.now();
  await pause(DOWN_MS);
  const again_ms = Date.now();
  expect((await faultline('capture', plan, '--case', into, '--duration', '1s')).code).toBe(0);
  const sql = `select source, epoch_ms(from_utc)::double as "from", epoch_ms(until_utc)::double as until, reason like 'the capture was killed%' as killed
    from outages where from_utc < make_timestamp_ms(${killed_ms}) order by killed, source`;
  const rows = JSON.parse((await faultline('query', into, sql, '--format', 'json')).out) as {
    readonly source: string;
    readonly from: number;
    readonly until: number;
    readonly killed: boolean;
  }[];
  expect(rows.map(({ source, killed }) => [source, killed])).toEqual([
    ['silent', false],
    ['sender', true],
    ['silent', true],
  ]);
  const [down, ...gaps] = rows;
  expect(down?.until).toBeLessThanOrEqual(killed_ms);
  for (const { from, until } of gaps) {
    // From the last flush before the kill until the next capture.
    expect(from).toBeGreaterThan(killed_ms - 3000);
    expect(until).toBeGreaterThanOrEqual(again_ms);
  }
});
