import type { EntityKind } from '../../../../model/entity.ts';
import { rankId } from '../../../../model/rank-name.ts';
import type { StragglerSliceFact } from '../../../store/facts/reader.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lengthText, percent, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { type MeasuredStraggler, measuredStragglers } from './measured-straggler.ts';
import { trainingPatterns } from './parameters.ts';
import { overlapping } from './same-time.ts';
import { peersText, THROTTLE_METRICS, timeText, worstText } from './straggler-text.ts';

const MOST_SHOWN = 8;

export const cudaStraggler: Pattern = {
  id: 'cuda-straggler',
  detect: (facts) => {
    const stragglers = measuredStragglers(facts.rows.stragglerSlices.filter(({ is_longer }) => is_longer));
    const members = Map.groupBy(stragglers, ({ first }) => `${first.group_name}\n${first.member}`);
    return [...members.values()].flatMap((own) => overlapping(own).map((together) => toSign(facts, together)));
  },
};

/** Operations of one member that took long at the same time. */
function toSign(facts: CaseFacts, together: readonly [MeasuredStraggler, ...MeasuredStraggler[]]): Sign {
  const worst = together.toSorted((a, b) => b.lost_s - a.lost_s) as [MeasuredStraggler, ...MeasuredStraggler[]];
  const [{ first, ranks, own_ns, usual_ns, lost_s, ...time }] = worst;
  const time_s = secondsBetween(time.start_ns, time.end_ns);
  const start_ns = together[0].start_ns;
  const entity = entityOf(facts, first);
  const name = first.rank === '' ? first.member : `Rank ${first.rank}`;
  const machine =
    entity < 0 ? [] : [...facts.machineWithParts(entity, start_ns), ...facts.at(start_ns).sourcesOf(entity).keys()];
  return {
    headline: `${name} took ${Number((own_ns / usual_ns).toPrecision(2))} times as long as ${peersText(ranks)} for ${operationOf(first)} for ${lengthText(time_s)}: ${timeText(own_ns)} each, not ${timeText(usual_ns)}, ${lengthText(lost_s)} longer in sum (${percent(lost_s / time_s)}).`,
    severity: lost_s >= trainingPatterns.severeLossShare * time_s ? 'high' : 'medium',
    start_ns,
    end_ns: together.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), time.end_ns),
    entities: entity < 0 ? [] : [entity],
    evidence: worst
      .slice(0, MOST_SHOWN)
      .map((one) => worstText(one, `${name}, ${operationOf(one.first)}`, 'its own and of a usual peer')),
    missing: [
      ...lacks(first.rank !== '', 'topology', 'no ranks: whether its peers work for the same job is unknown'),
      ...lacks(
        facts.isMeasured(machine, THROTTLE_METRICS),
        'gpu',
        'no clocks or throttle reasons of its GPU: reason unknown',
      ),
    ],
  };
}

const operationOf = ({ operation }: StragglerSliceFact): string =>
  operation === '' ? 'its CUDA operations' : operation;

/** Series of a program that measures others name in their attributes whom they are about. */
function entityOf(facts: CaseFacts, { rank, gpu, host, entity }: StragglerSliceFact): number {
  const own = facts.entityNode(entity);
  if (own?.kind === 'gpu' || own?.kind === 'rank' || own?.kind === 'process') return entity;
  const number = /^\d{1,6}$/.test(rank) ? Number(rank) : undefined;
  const names: readonly (readonly [EntityKind, string])[] = [
    ...(number === undefined
      ? []
      : ([
          ['rank', rankId(number, own?.id ?? '')],
          ['rank', rankId(number, '')],
        ] as const)),
    ['gpu', gpu],
    ['server', host],
    ['node', host],
  ];
  for (const [kind, id] of names) {
    const named = id === '' ? undefined : facts.rows.entities.find((one) => one.kind === kind && one.id === id);
    if (named) return named.canonical_id;
  }
  return entity;
}
