import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cli, faultline, firstDifference, reportOf } from './faultline.ts';
import { intactCase } from './intact-case.ts';
import { query, rowsIn } from './kills-content.ts';
import { copyOf } from './kills-place.ts';
import { type Agent, type Delivered, type Sender, startAgent, startSender } from './kills-senders.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim, type Victim } from './kills-victim.ts';

/** The command line that records what a sender and an agent have into a case with an incident of the past. */
export const captureKills: KillTarget = { kills: 40, prepare };

async function prepare({ folder: own }: KillWorld): Promise<PreparedKills> {
  // Of a smaller case, what is recorded later changes probabilities.
  const { path: demo } = await intactCase(join(own, 'demo'), 1);
  const wanted = (await reportOf(demo)).report?.incidents;
  const totals = { rows: 0, numbers: 0, oldest_ms: 0 };
  const begin = async (place: Place) => {
    const { folder, env } = place;
    const path = await copyOf(demo, place);
    const plan = join(folder, 'plan.yaml');
    const agent = await startAgent();
    await writeFile(
      plan,
      `feeds:\n  - {kind: otlp, grpc: null, http: "127.0.0.1:0"}\n  - {kind: prometheus, name: agent, url: "${agent.url}", every_s: 1, device: gpu-node-01}\n`,
    );
    const victim = startVictim([cli, 'capture', plan, '--case', path, '--json'], env);
    const feeding = feed(victim, agent);
    const check = async (): Promise<string[]> => {
      const fed = await feeding;
      const { lines: first, last } = await lost((sql) => query(path, sql, env), fed);
      const { report, ran } = await reportOf(path, env);
      // The incidents of the past: what was recorded live has no part in them.
      const difference = firstDifference(report?.incidents, wanted);
      const next = await faultline(['capture', plan, '--case', path, '--duration', '1s'], env);
      const { lines: later } = await lost((sql) => rowsIn(path, sql), fed);
      totals.rows += fed.written;
      totals.numbers += fed.sent;
      const oldest = fed.acknowledged.find(({ number }) => number > last);
      totals.oldest_ms = Math.max(totals.oldest_ms, oldest ? fed.killed_ms - oldest.at_ms : 0);
      return [
        ...first,
        ...(difference === '' ? [] : [`another verdict, ${difference} ${ran.err.slice(0, 200)}`]),
        ...(next.code === 0 ? [] : [`the next capture fails: ${next.code} ${next.err.slice(0, 300)}`]),
        ...later.map((line) => `after the next capture: ${line}`),
        ...(await outagesWrong(path)),
      ];
    };
    return { victim, check };
  };
  return {
    lasts_ms: 7000,
    begin,
    figures: () => [
      `${totals.rows} rows and ${totals.numbers} acknowledged log records, and as many spans, were written before the kills`,
      `the oldest acknowledged record that was not: ${(totals.oldest_ms / 1000).toFixed(1)} s before its kill (docs/capture.md: 2 s)`,
    ],
  };
}

/** Records that must be in the case. */
interface Fed {
  /** Numbers up to this one were acknowledged, or served, before the last flush that was reported as written. */
  readonly sent: number;
  readonly served: number;
  /** Rows that the capture reported as written, of all feeds. */
  readonly written: number;
  readonly acknowledged: readonly Delivered[];
  readonly killed_ms: number;
}

const WRITTEN = /"kind": ?"written"/;
/** Rows of a "written" report existed at the previous report; polls must be read and decoded first. */
const [SENT_BEFORE, SERVED_BEFORE] = [2, 4];

async function feed(victim: Victim, agent: Agent): Promise<Fed> {
  const loopDelay = monitorEventLoopDelay({ resolution: 10 });
  loopDelay.enable();
  const sender: { started?: Sender } = {};
  // If it is killed before it listens, there is no target.
  victim.waitForLine(/"state": ?"up".*"about": ?"http /).then(
    (line) => {
      sender.started = startSender(/http ([\d.:]+)/.exec(line)![1]!);
    },
    () => undefined,
  );
  await victim.ended;
  const killed_ms = Date.now();
  loopDelay.disable();
  sender.started?.stop();
  agent.close();
  // Two events while this process is stalled are seen in any order.
  const late_ms = loopDelay.max / 1e6;
  const writes = victim.timesOf(WRITTEN);
  const last = (delivered: readonly Delivered[], before: number): number => {
    const until = (writes.at(-before) ?? 0) - late_ms;
    return delivered.findLast(({ at_ms }) => at_ms < until)?.number ?? 0;
  };
  const acknowledged = sender.started?.acknowledged ?? [];
  const written = victim.lines().findLast((line) => WRITTEN.test(line));
  return {
    sent: last(acknowledged, SENT_BEFORE),
    served: last(agent.served, SERVED_BEFORE),
    written: written === undefined ? 0 : (JSON.parse(written) as { rows: number }).rows,
    acknowledged,
    killed_ms,
  };
}

type Found = Readonly<Record<'logs' | 'last' | 'spans' | 'samples' | 'rows', number>>;

/** Of what has to be there, what is not; and the number of the last log record that is. */
async function lost(
  ask: (sql: string) => Promise<readonly Found[]>,
  { sent, served, written }: Fed,
): Promise<{ readonly lines: readonly string[]; readonly last: number }> {
  const [found] = await ask(
    `select
       (select count(distinct body)::integer from logs where source = 'OTLP receiver' and body::integer <= ${sent}) as logs,
       (select coalesce(max(body::integer), 0) from logs where source = 'OTLP receiver') as last,
       (select count(distinct span_id)::integer from spans where service = 'killed' and span_id <= '${sent.toString(16).padStart(16, '0')}') as spans,
       (select count(distinct value)::integer from metrics where metric = 'kills_asked' and value <= ${served}) as samples,
       (select count(*)::integer from logs where source = 'OTLP receiver') + (select count(*)::integer from spans where service = 'killed')
         + (select count(*)::integer from metrics where metric = 'kills_asked') as rows`,
  );
  if (!found) return { lines: ['nothing is answered'], last: 0 };
  const lines = [
    ...(found.logs < sent ? [`${sent - found.logs} of ${sent} log records lost`] : []),
    ...(found.spans < sent ? [`${sent - found.spans} of ${sent} spans lost`] : []),
    ...(found.samples < served ? [`${served - found.samples} of ${served} samples lost`] : []),
    ...(found.rows < written ? [`${written} rows reported as written, ${found.rows} found`] : []),
  ];
  return { lines, last: found.last };
}

async function outagesWrong(path: string): Promise<string[]> {
  const [open] = await rowsIn<{ n: number }>(path, 'select count(*)::integer as n from outage where until_ns is null');
  return open?.n === 0 ? [] : [`${open?.n} outages never end`];
}
