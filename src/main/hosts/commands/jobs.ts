import type { JobView, WaitedRankView } from '../../../model/contract/index.ts';
import { lostPriceText } from '../../../model/incident/cost.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { readRates } from '../rates-option.ts';
import { type Command, positional, shown, toJson, withCore } from './command.ts';
import { messages } from './messages/jobs.ts';

const MOST_SHOWN = 20;
const MOST_WAITED = 8;
/** Width of the labels on the left. */
const LABEL = 12;

export const jobsCommand: Command = {
  name: 'jobs',
  summary: messages.summary,
  usage: messages.usage,
  options: { rates: { type: 'string' }, 'gpu-rate': { type: 'string' }, json: { type: 'boolean' } },
  run: async (invocation) => {
    const rates = await readRates(invocation);
    await withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const answer = await core.api['jobs.list']({ rates });
      if (invocation.values.json) return invocation.terminal.out(toJson(answer));
      const { jobs, total } = answer;
      if (jobs.length === 0) return invocation.terminal.out(`${messages.none}\n`);
      const listed = jobs.slice(0, MOST_SHOWN).map(jobText);
      const left = total > MOST_SHOWN ? [`${messages.left(total - MOST_SHOWN)}\n`] : [];
      invocation.terminal.out([...listed, ...left].join('\n'));
    });
  },
};

const kindOf = (key: string): string => key.slice(0, key.indexOf(':'));
/** `service llm` */
const called = (key: string): string => key.replace(':', ' ');
const timeText = (time: bigint | null): string => (time === null ? '' : formatUtc(nanos(time)));
const secondsText = (seconds: number): string => `${Number(seconds.toPrecision(3))} s`;

function jobText(job: JobView): string {
  const { id, name, entity, services, state, reason, since_ns, waited } = job;
  const { labels } = messages;
  const line = (label: string, value: string): string => `  ${label.padEnd(LABEL)}${value}`;
  const title =
    entity === null ? messages.unnamed(name) : `${name} (${[kindOf(id), ...services.map(called)].join('; ')})`;
  const more = job.waited_total - Math.min(waited.length, MOST_WAITED);
  const lines = [
    `${state.toUpperCase()}  ${shown(title)}: ${messages.reasons[reason]} ${timeText(since_ns)}`.trimEnd(),
    line(labels.ranks, messages.ranks(job.ranks, job.ranks_with_steps, job.hosts)),
    line(
      labels.records,
      job.first_ns === null ? messages.noTimes : messages.until(timeText(job.first_ns), timeText(job.last_ns)),
    ),
    ...(job.usual_s === null
      ? []
      : [
          line(
            labels.steps,
            messages.steps(
              job.last_step === null ? messages.noNumber : String(job.last_step),
              secondsText(job.usual_s),
            ),
          ),
        ]),
    ...(job.lost === null
      ? []
      : [line(labels.lost, lostText(job.lost)), line(labels.cost, shown(lostPriceText(job.lost.price)))]),
    line(labels.marks, messages.marks(job.restarts, job.checkpoints)),
    ...waited.slice(0, MOST_WAITED).map((one) => line(labels.waited, shown(waitedText(one)))),
    ...(more > 0 ? [line(labels.waited, messages.more(more))] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const hoursText = (hours: number): string => String(Number(hours.toPrecision(3)));

function lostText({
  gpus,
  counted,
  idle_gpu_hours,
  repeated_gpu_hours,
  saved_ns,
}: NonNullable<JobView['lost']>): string {
  const of = messages.of[counted](gpus);
  const again =
    repeated_gpu_hours === null
      ? messages.noCheckpoint
      : messages.repeated(hoursText(repeated_gpu_hours), timeText(saved_ns));
  return `${messages.idle(hoursText(idle_gpu_hours), of)}; ${again}`;
}

function waitedText({ gpus, hosts, racks, refs, ...waited }: WaitedRankView): string {
  const place = [...gpus, ...hosts, ...racks].join(', ');
  const what = whyText(waited);
  return `${what}${place === '' ? '' : `, ${messages.runsOn(place)}`}${refs[0] ? ` [${refs[0]}]` : ''}`;
}

type Why = Omit<WaitedRankView, 'gpus' | 'hosts' | 'racks' | 'refs'>;

function whyText({ kind, name, text, late, operations, lost_s, times, own_step, others_step, from_ns }: Why): string {
  const stepText = (step: number | null): string => (step === null ? '' : String(step));
  const since = timeText(from_ns);
  if (kind === 'slow')
    return `${name}: ${messages.slow(times === null ? '' : String(Number(times.toPrecision(3))), since)}`;
  if (kind === 'stopped') return `${name}: ${messages.stopped(stepText(own_step), stepText(others_step), since)}`;
  return late === null || operations === null
    ? text
    : `${name} ${messages.late(late, operations, secondsText(lost_s ?? 0), text)}`;
}
