import { jsonMembers } from '../../../base/json-members.ts';
import { hasCodes } from '../../../model/telemetry/metric.ts';
import type { MetricShiftFact } from '../../store/facts/reader.ts';
import { reweighed, weighedLine } from '../evidence/kind.ts';
import { metricShift } from '../evidence/software.ts';
import { software } from './parameters.ts';
import { oddsAgainstChance, rankLimit, studentTail } from './significance.ts';
import { type Finding, finding } from './suspect.ts';

/**
 * Numeric series of any entity that deviate from their baseline: median against median and MAD by Student's t (heavy-tailed when
 * the baseline is short), a constant baseline by ranks alone; corrected for the number of series. The strongest series of
 * an entity counts, two more are listed, because they are usually correlated.
 */
export function metricSuspects(facts: readonly MetricShiftFact[], nameOf: (entity: number) => string): Finding[] {
  const findings = facts.flatMap((fact) => {
    const weight = shiftOdds(fact);
    return weight > 0 ? [metricFinding(fact, weight, nameOf)] : [];
  });
  return [...Map.groupBy(findings, ({ key }) => key).values()]
    .map((list) => {
      const [first, ...rest] = list.toSorted((a, b) => b.weight - a.weight).slice(0, software.mostFindings) as [
        Finding,
        ...Finding[],
      ];
      const more = rest.flatMap(({ evidence }) => evidence.map((one) => reweighed(one, 0)));
      const evidence = [...first.evidence, ...more];
      return finding({ ...first, evidence, weight: evidence.reduce((sum, { weight }) => sum + weight, 0) });
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}

function shiftOdds(fact: MetricShiftFact): number {
  const { before_points, before_median, before_min, before_max, spread, window_points, window_median } = fact;
  // Levels that the baseline reached are not new; codes are no levels.
  if ((window_median <= before_max && window_median >= before_min) || hasCodes(fact.metric)) return 0;
  const [low, high] = [Math.abs(before_median), Math.abs(window_median)].sort((a, b) => a - b) as [number, number];
  if (before_median * window_median > 0 && high < software.leastRatio * low) return 0;
  const constant = before_min === before_max;
  // Adjacent points are correlated, and levels drift: a window counts as one value.
  const t = Math.abs(window_median - before_median) / (spread * Math.sqrt(1 + 1 / before_points));
  const p = constant ? rankLimit(before_points, window_points) : studentTail(t, before_points - 1);
  return oddsAgainstChance(2 * p * fact.series_count, software.mostMetricOdds);
}

function metricFinding(fact: MetricShiftFact, weight: number, nameOf: (entity: number) => string): Finding {
  const parameters = {
    metric: fact.metric,
    labels: labels(fact.attributes),
    on: nameOf(fact.entity),
    before: fact.before_median,
    after: fact.window_median,
    unit: fact.unit,
    isRate: fact.is_rate,
    before_points: fact.before_points,
    after_points: fact.window_points,
  };
  return finding({
    key: fact.entity,
    type: 'metric_shift',
    layer: 'metric',
    metric: fact.metric,
    evidence: [weighedLine(metricShift, weight, parameters)],
  });
}

/** Attributes that distinguish a series, as text. */
function labels(attributes: string): string {
  if (attributes === '' || attributes === '{}') return '';
  const values = Object.values(jsonMembers(attributes));
  const attributeTexts = values.filter((value) => typeof value !== 'object').slice(0, 3);
  return attributeTexts.length > 0 ? ` (${attributeTexts.join(', ')})` : '';
}
