import type { Difference, Output, Region } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import type { DifferenceRequest } from '../../state/difference-request.ts';
import { copyText, notify, showError } from '../../state/toasts.ts';
import { messages } from './messages.ts';

/** Rows of the region with a difference; for a metric, its entities. */
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

/** Copies the evidence ids of the examples. */
export async function copyEvidence(request: DifferenceRequest, difference: Difference): Promise<void> {
  try {
    const examples = await examplesOf(request, difference);
    if (examples.length > 0) await copyText(examples.map(({ ref }) => ref).join('\n'), messages.evidenceIds);
    else notify(messages.noExamples);
  } catch (error) {
    showError(problemOf(error));
  }
}
