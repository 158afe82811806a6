import type { LateRankFact } from '../../../store/facts/reader.ts';
import { binomialTail } from '../../software/significance.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lengthText, percent, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { type MeasuredStraggler, measuredStragglers } from './measured-straggler.ts';

/** Shorter delays are scheduling noise; the rank lanes use the same value. */
export const LATE_NS = 10_000_000n;
/** One rank is always last; a straggler is last in half of the operations, more often than by chance. */
const LEAST_SHARE = 0.5;
const LEAST_TIMES = 5;
const CHANCE = 1e-4;
/** Share of the time; less is not worth action. */
const LEAST_LOSS = 0.02;
const THROTTLE_TYPES = [
  'hw.gpu.clock.sm',
  'hw.gpu.clocks_event_reasons',
  'hw.gpu.throttle.thermal',
  'hw.gpu.throttle.power',
  'gpu.throttle.hw_active',
  'gpu.throttle.sw_active',
] as const;

export const collectiveStraggler: Pattern = {
  id: 'collective-straggler',
  detect: (facts) => [
    ...facts.rows.lateRanks.filter(isRepeated).map((late) => toSign(facts, late)),
    ...measuredStragglers(facts.rows.lateSlices).map((straggler) => toMeasuredSign(facts, straggler)),
  ],
};

const lossOf = ({ lost_s, first_ns, last_ns }: LateRankFact): number =>
  lost_s / Math.max(1e-9, secondsBetween(first_ns, last_ns));

const isRepeated = (late: LateRankFact): boolean =>
  late.late >= LEAST_TIMES &&
  late.late >= LEAST_SHARE * late.operations &&
  binomialTail(late.late, late.operations, 1 / late.ranks) < CHANCE &&
  lossOf(late) >= LEAST_LOSS;

function toSign(facts: CaseFacts, late: LateRankFact): Sign {
  const { entity, operations, lost_s, first_ns, last_ns, ranks, group_name } = late;
  const name = facts.name(entity);
  const hosts = [...facts.at(first_ns).sourcesOf(entity).keys()];
  return {
    headline: `${name} entered last in ${late.late} of ${operations} collectives of ${group_name} and made ${ranks - 1 === 1 ? 'its peer' : `its ${ranks - 1} peers`} wait ${lengthText(lost_s)} in ${lengthText(secondsBetween(first_ns, last_ns))} (${percent(lossOf(late))}).`,
    severity: lossOf(late) >= 0.1 ? 'high' : 'medium',
    start_ns: first_ns,
    end_ns: last_ns,
    entities: [entity],
    evidence: [
      { text: `${name} waited least while its peers waited long: worst operations`, refs: late.refs.split(' ') },
    ],
    missing: lacks(
      facts.isMeasured(hosts, THROTTLE_TYPES),
      'gpu',
      `no clocks or throttle reasons of the GPU that ${name} runs on: reason unknown`,
    ),
  };
}

const milliseconds = (ns: number): string => `${Number((ns / 1e6).toPrecision(3))} ms`;

function toMeasuredSign(facts: CaseFacts, straggler: MeasuredStraggler): Sign {
  const { rank, group_name, ranks, entity, start_ns, end_ns, usual_ns, own_ns, lost_s, worst } = straggler;
  const time_s = secondsBetween(start_ns, end_ns);
  const hosts = [...facts.at(start_ns).sourcesOf(entity).keys()];
  const of = group_name === '' ? '' : ` of ${group_name}`;
  const peers = ranks === 2 ? 'its peer' : `its ${ranks - 1} peers`;
  const did = straggler.is_wait ? 'waited' : 'spent';
  return {
    headline: `Rank ${rank}${of} came last into collectives for ${lengthText(time_s)}: it ${did} ${milliseconds(own_ns)} in each, ${peers} ${milliseconds(usual_ns)}, which lost them ${lengthText(lost_s)} (${percent(lost_s / time_s)}).`,
    severity: lost_s >= 0.1 * time_s ? 'high' : 'medium',
    start_ns,
    end_ns,
    entities: [entity],
    evidence: [
      {
        text: `rank ${rank}: ${worst[0]!.metric}, mean of the least and of a usual rank at the worst times: ${worst.map(({ least_ns, usual_ns }) => `${milliseconds(least_ns)} and ${milliseconds(usual_ns)}`).join('; ')}`,
        refs: worst.map(({ series_id, sample_ns }) => `metric:${series_id}@${sample_ns}`),
      },
    ],
    missing: lacks(
      facts.isMeasured(hosts, THROTTLE_TYPES),
      'gpu',
      `no clocks or throttle reasons of the GPU that rank ${rank} runs on: reason unknown`,
    ),
  };
}
