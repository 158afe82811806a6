import type { LateRankFact } from '../../../store/facts/reader.ts';
import { binomialTail } from '../../software/significance.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lengthText, percent, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { type MeasuredStraggler, measuredStragglers } from './measured-straggler.ts';
import { trainingPatterns } from './parameters.ts';
import { peersText, THROTTLE_METRICS, timeText, worstText } from './straggler-text.ts';

export const collectiveStraggler: Pattern = {
  id: 'collective-straggler',
  detect: (facts) => [
    ...facts.rows.lateRanks.filter(isRepeated).map((late) => toSign(facts, late)),
    ...measuredStragglers(facts.rows.stragglerSlices.filter(({ is_longer }) => !is_longer)).map((straggler) =>
      toMeasuredSign(facts, straggler),
    ),
  ],
};

const lossOf = ({ lost_s, first_ns, last_ns }: LateRankFact): number =>
  lost_s / Math.max(1e-9, secondsBetween(first_ns, last_ns));

const isRepeated = (late: LateRankFact): boolean =>
  late.late >= trainingPatterns.lastTimes &&
  late.late >= trainingPatterns.lastShare * late.operations &&
  binomialTail(late.late, late.operations, 1 / late.ranks) < trainingPatterns.lastChance &&
  lossOf(late) >= trainingPatterns.lostShare;

function toSign(facts: CaseFacts, late: LateRankFact): Sign {
  const { entity, operations, lost_s, first_ns, last_ns, ranks, group_name } = late;
  const name = facts.name(entity);
  const hosts = [...facts.at(first_ns).sourcesOf(entity).keys()];
  return {
    headline: `${name} entered last in ${late.late} of ${operations} collectives of ${group_name} and made ${ranks - 1 === 1 ? 'its peer' : `its ${ranks - 1} peers`} wait ${lengthText(lost_s)} in ${lengthText(secondsBetween(first_ns, last_ns))} (${percent(lossOf(late))}).`,
    severity: lossOf(late) >= trainingPatterns.severeLossShare ? 'high' : 'medium',
    start_ns: first_ns,
    end_ns: last_ns,
    entities: [entity],
    evidence: [
      { text: `${name} waited least while its peers waited long: worst operations`, refs: late.refs.split(' ') },
    ],
    missing: lacks(
      facts.isMeasured(hosts, THROTTLE_METRICS),
      'gpu',
      `no clocks or throttle reasons of the GPU that ${name} runs on: reason unknown`,
    ),
  };
}

function toMeasuredSign(facts: CaseFacts, straggler: MeasuredStraggler): Sign {
  const { first, ranks, start_ns, end_ns, usual_ns, own_ns, lost_s } = straggler;
  const { rank, group_name, entity } = first;
  const time_s = secondsBetween(start_ns, end_ns);
  const hosts = [...facts.at(start_ns).sourcesOf(entity).keys()];
  const of = group_name === '' ? '' : ` of ${group_name}`;
  const did = first.is_wait ? 'waited' : 'spent';
  return {
    headline: `Rank ${rank}${of} came last into collectives for ${lengthText(time_s)}: it ${did} ${timeText(own_ns)} in each, ${peersText(ranks)} ${timeText(usual_ns)}, which lost them ${lengthText(lost_s)} (${percent(lost_s / time_s)}).`,
    severity: lost_s >= trainingPatterns.severeLossShare * time_s ? 'high' : 'medium',
    start_ns,
    end_ns,
    entities: [entity],
    evidence: [worstText(straggler, `rank ${rank}`, 'the least and of a usual rank')],
    missing: lacks(
      facts.isMeasured(hosts, THROTTLE_METRICS),
      'gpu',
      `no clocks or throttle reasons of the GPU that rank ${rank} runs on: reason unknown`,
    ),
  };
}
