import type { Difference, Output, Region } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import type { DifferenceRequest } from '../../state/difference-request.ts';
import { copyText, notify, showError } from '../../state/toasts.ts';

/** Rows of the region that show a difference; of a metric, the thing that was measured, or the things that were. */
export function examplesOf(
  { region, baseline }: DifferenceRequest,
  difference: Difference,
  signal?: AbortSignal,
): Promise<Output<'differences.examples'>> {
  const { population, attribute, value } = difference;
  const about = population === 'metrics' ? { ...region, entities: measuredOf(region, difference) } : region;
  return client().call('differences.examples', { region: about, baseline, population, attribute, value }, signal);
}

const measuredOf = ({ entities }: Region, { entity, across }: Difference): string[] =>
  entity !== null ? [entity] : entities.filter((entityKey) => entityKey.startsWith(`${across}:`));

/** The evidence of a difference are its examples. */
export async function copyEvidence(request: DifferenceRequest, difference: Difference): Promise<void> {
  try {
    const examples = await examplesOf(request, difference);
    if (examples.length > 0) await copyText(examples.map(({ ref }) => ref).join('\n'), 'Evidence ids');
    else notify('the region has no row of its own that shows it');
  } catch (error) {
    showError(problemOf(error));
  }
}
