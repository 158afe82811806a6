import type { DifferenceFilter, Reader } from '../../store/facts/reader.ts';
import { type Comparison, shareCandidate } from './candidate.ts';
import { differences } from './parameters.ts';

/** Types, entities and severities of events. */
export async function eventDifferences(reader: Reader, filter: DifferenceFilter): Promise<Comparison> {
  const facts = await reader.eventValues(filter);
  const all = facts.find(({ dim }) => dim === '');
  if (!all) return { candidates: [], compared: [], left_out: [] };
  const candidates = facts
    .filter(
      ({ dim, region_groups, baseline_groups }) =>
        dim !== '' && region_groups + baseline_groups >= differences.leastGroups,
    )
    .map((fact) => {
      const isEntity = fact.dim === 'entity';
      const value = isEntity ? fact.value.slice(fact.value.indexOf(':') + 1) : fact.value;
      const entity = isEntity ? fact.value : null;
      return shareCandidate({ population: 'events', attribute: `event ${fact.dim}`, value, entity }, fact, all);
    });
  const counts = { region: all.region, baseline: all.baseline, region_share: 1, baseline_share: 1 };
  return { candidates, compared: [{ population: 'events', ...counts, tested: candidates.length }], left_out: [] };
}
