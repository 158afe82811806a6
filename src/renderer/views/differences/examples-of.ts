import type { Difference, Output, Region } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import type { DifferenceQuestion } from '../../state/difference-question.ts';
import { complain, copyText, notify } from '../../state/toasts.ts';

/** Rows of the region that show a difference; of a metric, the thing that was measured, or the things that were. */
export function examplesOf(
  { region, baseline }: DifferenceQuestion,
  difference: Difference,
  signal?: AbortSignal,
): Promise<Output<'differences.examples'>> {
  const { population, attribute, value } = difference;
  const about = population === 'metrics' ? { ...region, entities: measuredOf(region, difference) } : region;
  return client().call('differences.examples', { region: about, baseline, population, attribute, value }, signal);
}

const measuredOf = ({ entities }: Region, { entity, across }: Difference): string[] =>
  entity !== null ? [entity] : entities.filter((thing) => thing.startsWith(`${across}:`));

/** The evidence of a difference are its examples. */
export async function copyEvidence(question: DifferenceQuestion, difference: Difference): Promise<void> {
  try {
    const examples = await examplesOf(question, difference);
    if (examples.length > 0) await copyText(examples.map(({ ref }) => ref).join('\n'), 'Evidence ids');
    else notify('the region has no row of its own that shows it');
  } catch (error) {
    complain(problemOf(error));
  }
}
