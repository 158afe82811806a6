import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultline } from '../test/support/command-line.ts';
import { plainSpans } from '../test/support/plain-spans.ts';
import { benchAgents } from './capture-agents.ts';
import { emptyCase, record, statOf, TICKS_PER_S, usedBytes } from './capture-process.ts';
import { perSecond, print, thousands, versus, within } from './figures.ts';
import { options } from './options.ts';

const SENSORS = 500;
const IDLE_S = Number(options.seconds ?? 60);
const LOAD_S = Math.min(60, IDLE_S);
const SPANS_PER_S = 100_000;
/** As many as one frame of `plainSpans` holds. */
const SPANS_PER_REQUEST = 500;
const FRAME = 4;

/** `faultline capture` in a process of its own, sent to over the loopback as any SDK would. */
export async function benchCapture(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-capture-'));
  try {
    const parts = {
      idle: () => benchIdle(folder),
      agents: () => benchAgents(folder, LOAD_S),
      load: () => benchLoad(folder),
    };
    for (const [name, run] of Object.entries(parts)) if ((options.part ?? name) === name) await run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchIdle(folder: string): Promise<void> {
  console.log(`\n${SENSORS} sensors at 1 Hz for ${IDLE_S} s`);
  const running = await record(folder, 'idle');
  const agent = new Agent({ keepAlive: true });
  const before = statOf(running.child);
  const from = performance.now();
  for (let second = 0; second < IDLE_S; second++) {
    await post(`${running.url}/v1/metrics`, Buffer.from(samplesAt(second)), { agent, type: 'application/json' });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + (second + 1) * 1000 - performance.now())));
  }
  const after = statOf(running.child);
  const seconds = (performance.now() - from) / 1000;
  await running.end();
  agent.destroy();
  const samples = SENSORS * IDLE_S;
  const share = (100 * (after.ticks - before.ticks)) / TICKS_PER_S / seconds;
  const bytes = ((await usedBytes(running.path)) - (await emptyCase(folder))) / samples;
  print('  processor', `${share.toFixed(1)} %`, `of one core; ${within(share, 3, '%')}`);
  print('  resident', `${Math.round(after.resident / 1e6)} MB`, within(after.resident / 1e6, 300, 'MB'));
  print(
    '  on disk',
    `${bytes.toFixed(1)} B/sample`,
    `${within(bytes, 12, 'B')}; ${Math.round((bytes * SENSORS * 86_400) / 1e6)} MB in 24 h`,
  );
}

async function benchLoad(folder: string): Promise<void> {
  console.log(`\nOTLP over HTTP at ${thousands(SPANS_PER_S)} spans/s for ${LOAD_S} s`);
  const running = await record(folder, 'load');
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const before = statOf(running.child);
  const ownBefore = process.cpuUsage();
  const from = performance.now();
  const state = { sent: 0, refused: 0 };
  const requests = (SPANS_PER_S / SPANS_PER_REQUEST) * LOAD_S;
  const pending = new Set<Promise<void>>();
  for (let at = 0; at < requests; at++) {
    // Another hour for each: no trace lies in two requests, and none is sent twice.
    const body = plainSpans(SPANS_PER_REQUEST, at).subarray(FRAME);
    const sending = send(`${running.url}/v1/traces`, body, agent, state).finally(() => pending.delete(sending));
    pending.add(sending);
    if (pending.size >= 16) await Promise.race(pending);
    const due = from + (at * SPANS_PER_REQUEST * 1000) / SPANS_PER_S;
    const early = due - performance.now();
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
  }
  await Promise.all(pending);
  const ms = performance.now() - from;
  const after = statOf(running.child);
  const own = process.cpuUsage(ownBefore);
  await running.end();
  agent.destroy();
  const { out } = await faultline('query', running.path, 'select count(*) as n from span', '--format', 'json');
  const [{ n }] = JSON.parse(out) as [{ n: number }];
  print('  kept', `${thousands(perSecond(n, ms))} spans/s`, versus(perSecond(n, ms), SPANS_PER_S));
  print(
    '  lost',
    thousands(state.sent - n),
    `of ${thousands(state.sent)} sent; ${state.refused} requests had to wait and were sent again`,
  );
  print('  resident', `${Math.round(after.resident / 1e6)} MB`, '');
  const share = (ticks: number): string => `${((100_000 * ticks) / TICKS_PER_S / ms).toFixed(0)} %`;
  const [all, main] = [after.ticks - before.ticks, after.mainTicks - before.mainTicks];
  print('  processor', share(all), `of one core, the main thread ${share(main)}, in ${(ms / 1000).toFixed(1)} s`);
  const sender = (100 * (own.user + own.system)) / 1000 / ms;
  print('  processor of the sender', `${sender.toFixed(0)} %`, `of one core; load ${loadavg()[0]?.toFixed(1)}`);
}

async function send(url: string, body: Buffer, agent: Agent, state: { sent: number; refused: number }): Promise<void> {
  for (;;) {
    const status = await post(url, body, { agent, type: 'application/x-protobuf' });
    if (status === 200) {
      state.sent += SPANS_PER_REQUEST;
      return;
    }
    if (status !== 429) throw new Error(`status ${status}`);
    state.refused++;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function post(url: string, body: Buffer, { agent, type }: { agent: Agent; type: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: { 'content-type': type } }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** One sample of every sensor, wandering as temperatures and powers do. */
function samplesAt(second: number): string {
  const time = String(BigInt(Date.now()) * 1_000_000n);
  const metrics = Array.from({ length: SENSORS }, (_, sensor) => ({
    name: `sensor.${sensor % 20}`,
    unit: 'W',
    gauge: {
      dataPoints: [
        {
          timeUnixNano: time,
          asDouble: Math.round(100 * (200 + sensor + 20 * Math.sin((second + sensor) / 30) + Math.random())) / 100,
          attributes: [{ key: 'sensor', value: { intValue: String(sensor) } }],
        },
      ],
    },
  }));
  const resource = { attributes: [{ key: 'host.name', value: { stringValue: 'node-1' } }] };
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] });
}
