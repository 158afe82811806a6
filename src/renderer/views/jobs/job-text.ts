import type { JobHeat, JobRankView, JobView, WaitedRankView } from '../../../model/contract/index.ts';
import { lostPriceText } from '../../../model/incident/cost.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber, formatValue } from '../../draw/text/format-value.ts';
import { entityName } from '../../draw/text/gpu-text.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { messages } from './messages.ts';

export const jobName = ({ name, entity }: Pick<JobView, 'name' | 'entity'>): string =>
  entity === null ? messages.list.unnamed(name) : name;

/** `service llm`: what its own records call a job that an orchestrator calls otherwise; '': nothing else. */
export const servicesText = ({ services }: Pick<JobView, 'services'>): string =>
  services.length === 0 ? '' : messages.list.services(services.map(entityName).join(', '));

type Place = Pick<JobRankView, 'gpus' | 'hosts' | 'racks'>;

/** `GPU-0, node-5, rack-14`; '': no link names it. */
export const placeText = ({ gpus, hosts, racks }: Place): string =>
  [...gpus, ...hosts, ...racks].map(entityName).join(', ');

/** A rank and where it runs: what explains its behaviour. */
export const withPlace = (rank: Place & { readonly entity: string }): readonly string[] => [
  rank.entity,
  ...rank.gpus,
  ...rank.hosts,
];

export const secondsText = (seconds: number | null): string => (seconds === null ? '' : formatValue(seconds, 's'));

const MOST_MISSING = 4;

/** That a job hangs while it is recorded: for how long, and which ranks wait for whom. '': it does not. */
export function hangText(
  { state, reason, since_ns, now_ns, waited }: JobView,
  timeText: (time: bigint) => string,
): string {
  if (state !== 'stalled' || since_ns === null || now_ns === null) return '';
  const { now } = messages;
  const missing = waited.filter(({ kind }) => kind === 'stalled' || kind === 'mismatched');
  const waiting = [...new Set(missing.flatMap((one) => one.waiting))].sort((a, b) => a - b);
  const names = [...new Set(missing.map(({ name }) => name))];
  const unnamed = reason === 'counter_stands' ? now.counterStands : now.waitUnnamed;
  const who =
    names.length === 0
      ? unnamed
      : now.wait(
          waiting.length === 0 ? now.others : now.ranks(rankList(waiting)),
          now.and(names.slice(0, MOST_MISSING).join(', '), Math.max(0, names.length - MOST_MISSING)),
        );
  return now.stalled(formatDuration(Math.max(0, Number(now_ns - since_ns))), timeText(since_ns), who);
}

/** GPU hours that a job lost which stopped; '': it did not, or its GPUs are unknown. */
export function lostText({ lost }: Pick<JobView, 'lost'>, timeText: (time: bigint) => string): string {
  if (lost === null) return '';
  const { gpus, counted, idle_gpu_hours, repeated_gpu_hours, saved_ns } = lost;
  const of = messages.lost.of[counted](gpus);
  const again =
    repeated_gpu_hours === null || saved_ns === null
      ? messages.lost.noCheckpoint
      : messages.lost.repeated(formatNumber(repeated_gpu_hours), timeText(saved_ns));
  return `${messages.lost.idle(formatNumber(idle_gpu_hours), of)}, ${again} ${messages.lost.cost(lostPriceText(lost.price))}`;
}

/** Why others waited for a rank. */
export function whyText({ kind, text, late, operations, times, own_step, others_step }: WaitedRankView): string {
  if (kind === 'slow') return messages.waited.slow(times === null ? '' : formatNumber(times));
  const stepText = (step: number | null): string => (step === null ? '' : formatCount(step));
  if (kind === 'stopped') return messages.waited.stopped(stepText(own_step), stepText(others_step));
  return late === null || operations === null ? text : messages.waited.late(late, operations, text);
}

/** `0–4, 6`; of many runs the first. */
export function rankList(ranks: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const rank of ranks) {
    const last = runs.at(-1);
    if (last && last[1] === rank - 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  const shown = runs.slice(0, MOST_RUNS).map(([from, to]) => (from === to ? String(from) : `${from}–${to}`));
  return `${shown.join(', ')}${runs.length > MOST_RUNS ? ', …' : ''}`;
}
const MOST_RUNS = 12;

/** What the band shows, in words. */
export function bandText({ operations, stalls, marks, marks_total }: JobHeat, window: TimeWindow): string {
  const completed = operations.reduce((sum, count) => sum + count, 0);
  const within = stalls.filter(({ from_ns, to_ns }) => to_ns >= window.startNs && from_ns <= window.endNs).length;
  const checkpoints = marks.filter(({ kind }) => kind === 'checkpoint').length;
  const share = marks_total / Math.max(1, marks.length);
  const count = (some: number): number => Math.round(some * share);
  return messages.band.label(formatCount(completed), within, count(marks.length - checkpoints), count(checkpoints));
}
