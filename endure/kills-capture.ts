import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cli, faultline, firstDifference, reportOf } from './faultline.ts';
import { query } from './kills-content.ts';
import { copyOf } from './kills-place.ts';
import { type Agent, type Handed, type Sender, startAgent, startSender } from './kills-senders.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim, type Victim } from './kills-victim.ts';

/** docs/capture.md: what came is on disk within two seconds. */
const PROMISED_MS = 2000;

/** The command line that records what a sender and an agent have into a case with an incident of the past. */
export const captureKills: KillTarget = { kills: 40, prepare };

async function prepare({ demo }: KillWorld): Promise<PreparedKills> {
  const wanted = (await reportOf(demo)).report?.incidents;
  const totals = { rows: 0, numbers: 0 };
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
      const first = await lost(path, env, fed);
      const { report, ran } = await reportOf(path, env);
      // The incidents of the past: what was recorded live has no part in them.
      const difference = firstDifference(report?.incidents, wanted);
      const next = await faultline(['capture', plan, '--case', path, '--duration', '1s'], env);
      const later = await lost(path, env, fed);
      totals.rows += fed.written;
      totals.numbers += fed.sent;
      return [
        ...first,
        ...(difference === '' ? [] : [`another verdict, ${difference} ${ran.err.slice(0, 200)}`]),
        ...(next.code === 0 ? [] : [`the next capture fails: ${next.code} ${next.err.slice(0, 300)}`]),
        ...later.map((line) => `after the next capture: ${line}`),
        ...(await outagesWrong(path, env)),
      ];
    };
    return { victim, check };
  };
  return {
    lasts_ms: 7000,
    begin,
    figures: () => [
      `${totals.rows} rows said to be written before the kills, ${totals.numbers} log records and as many spans acknowledged two seconds before`,
    ],
  };
}

/** What has to be in the case. */
interface Fed {
  /** Numbers up to this one were acknowledged, or served, longer ago than was promised. */
  readonly sent: number;
  readonly served: number;
  /** Rows that the capture said to be written, of all feeds. */
  readonly written: number;
}

async function feed(victim: Victim, agent: Agent): Promise<Fed> {
  const turns = monitorEventLoopDelay({ resolution: 10 });
  turns.enable();
  const sender: { started?: Sender } = {};
  // Killed before it listens there is nothing to send to.
  victim.said(/"state": ?"up".*"about": ?"http /).then(
    (line) => {
      sender.started = startSender(/http ([\d.:]+)/.exec(line)?.[1] as string);
    },
    () => undefined,
  );
  await victim.ended;
  const killed = Date.now();
  turns.disable();
  sender.started?.stop();
  agent.close();
  // How long this process itself got no turn says how late the other one may have been for no fault of its own.
  const until = killed - PROMISED_MS - turns.max / 1e6;
  const last = (handed: readonly Handed[]): number => handed.findLast(({ at_ms }) => at_ms < until)?.number ?? 0;
  const written = victim.lines().findLast((line) => line.includes('"written"'));
  return {
    sent: last(sender.started?.acknowledged ?? []),
    served: last(agent.served),
    written: written === undefined ? 0 : (JSON.parse(written) as { rows: number }).rows,
  };
}

/** Of what has to be there, what is not. */
async function lost(path: string, env: Place['env'], { sent, served, written }: Fed): Promise<string[]> {
  const [found] = await query<Record<'logs' | 'spans' | 'samples' | 'rows', number>>(
    path,
    `select
       (select count(distinct body)::integer from logs where source = 'OTLP receiver' and body::integer <= ${sent}) as logs,
       (select count(distinct span_id)::integer from spans where service = 'killed' and span_id <= '${sent.toString(16).padStart(16, '0')}') as spans,
       (select count(distinct value)::integer from metrics where metric = 'kills_asked' and value <= ${served}) as samples,
       (select count(*)::integer from logs where source = 'OTLP receiver') + (select count(*)::integer from spans where service = 'killed')
         + (select count(*)::integer from metrics where metric = 'kills_asked') as rows`,
    env,
  );
  if (!found) return ['nothing is answered'];
  return [
    ...(found.logs < sent ? [`${sent - found.logs} of ${sent} log records lost`] : []),
    ...(found.spans < sent ? [`${sent - found.spans} of ${sent} spans lost`] : []),
    ...(found.samples < served ? [`${served - found.samples} of ${served} samples lost`] : []),
    ...(found.rows < written ? [`${written} rows said to be written, ${found.rows} there`] : []),
  ];
}

async function outagesWrong(path: string, env: Place['env']): Promise<string[]> {
  const [open] = await query<{ n: number }>(
    path,
    'select count(*)::integer as n from outage where until_ns is null',
    env,
  );
  return open?.n === 0 ? [] : [`${open?.n} outages never end`];
}
