import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { ProblemError } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { nanos } from '../../../model/time.ts';
import { nvidiaTopology } from '../../sources/nvidia-topology/index.ts';
import { failed, passed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import { runNvidiaSmi } from '../nvidia-smi.ts';
import { asFiles } from '../plan/as-files.ts';
import { localPathSchema } from '../plan/local-path.ts';
import { steadyNanos } from '../steady-clock.ts';

const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 5 * 60_000;

const planSchema = z
  .strictObject({
    kind: z.literal('nvidia-topology'),
    name: z.string().min(1).max(200).default('NVIDIA topology').describe('name of its data source'),
    host: z.string().min(1).max(255).nullable().default(null).describe('name of this machine; null: its host name'),
    nvidia_smi: localPathSchema.default('nvidia-smi').describe('path of nvidia-smi'),
  })
  .meta({
    title: 'NVIDIA topology of this machine',
    description: 'how GPUs, NVLinks and network cards are connected (nvidia-smi topo -m), read once',
  });
type Plan = z.output<typeof planSchema>;

/**
 * How the GPUs of this machine are connected. It does not change at run time, so it is read once and retried until it
 * works.
 */
export const nvidiaTopologyFeed: FeedKind<typeof planSchema> = {
  kind: 'nvidia-topology',
  plan: planSchema,
  open: (plan): Feed => ({
    name: plan.name,
    format: 'nvidia-topology-live',
    stampedBy: 'here',
    about: `${plan.nvidia_smi} topo -m`,
    run: (sink, signal) => sendOnce(plan, sink, signal),
  }),
  test: async function* (plan, signal): AsyncGenerator<FeedCheck> {
    try {
      yield passed('values', summaryOf(await readTopology(plan, signal)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      yield failed('values', error.problem.message, 'does `nvidia-smi topo -m` answer in a shell of this user?');
    }
  },
};

async function sendOnce(plan: Plan, sink: FeedSink, signal: AbortSignal): Promise<void> {
  for (let rest = FIRST_REST_MS; !signal.aborted; rest = Math.min(2 * rest, LONGEST_REST_MS)) {
    try {
      const batches = await readTopology(plan, signal);
      sink.reportState('up', summaryOf(batches));
      if (sink.take(batches)) break;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ProblemError)) throw error;
      sink.reportState('down', error.problem.message);
    }
    await setTimeout(rest, undefined, { signal }).catch(() => undefined);
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** @throws ProblemError feed.no_nvidia_smi, feed.nvidia_smi, nvidia_topology.nothing */
async function readTopology({ name, host, nvidia_smi }: Plan, signal: AbortSignal): Promise<RowBatch[]> {
  const texts = [
    await runNvidiaSmi(nvidia_smi, ['-L'], signal),
    await runNvidiaSmi(nvidia_smi, ['topo', '-m'], signal),
  ];
  const requestedAt = nanos(steadyNanos());
  const bodies = [Buffer.from(texts.join('\n'))];
  const batches: RowBatch[] = [];
  for await (const batch of nvidiaTopology.read(asFiles({ name, bodies, requestedAt, device: host ?? hostname() })))
    batches.push(batch);
  return batches;
}

const summaryOf = (batches: readonly RowBatch[]): string =>
  `${batches.reduce((sum, { tables }) => sum + (tables.edge?.count ?? 0), 0)} links of GPUs and network cards`;
