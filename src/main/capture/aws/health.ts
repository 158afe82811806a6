import type { EventFilter, HealthClient } from '@aws-sdk/client-health';

/** Batch limits of these calls. */
const DETAILS_AT_ONCE = 10;
const ENTITIES_AT_ONCE = 10;
const MOST_EVENTS = 5000;

/**
 * Events that were updated since a time, or that are still open at the first poll, with their descriptions and affected
 * resources: responses of the three calls that the importer joins by ARN; empty if there are none. `ResponseMetadata`
 * marks a response that may have no entries.
 *
 * @throws errors of the SDK
 */
export async function healthSince(
  client: HealthClient,
  { from, isOpen }: { readonly from: Date; readonly isOpen: boolean },
  signal: AbortSignal,
): Promise<readonly object[]> {
  const { DescribeEventsCommand, DescribeEventDetailsCommand, DescribeAffectedEntitiesCommand } = await import(
    '@aws-sdk/client-health'
  );
  const options = { abortSignal: signal };
  const answers: object[] = [];
  const found = new Set<string>();
  const filters: EventFilter[] = [{ lastUpdatedTimes: [{ from }] }];
  // Also events that were announced long ago and are still to come.
  if (isOpen) filters.push({ eventStatusCodes: ['open', 'upcoming'] });
  for (const filter of filters) {
    let nextToken: string | undefined;
    do {
      const page = await client.send(
        new DescribeEventsCommand({ filter, ...(nextToken ? { nextToken } : {}) }),
        options,
      );
      answers.push({ ResponseMetadata: {}, events: page.events ?? [] });
      for (const { arn } of page.events ?? []) if (arn !== undefined) found.add(arn);
      nextToken = page.nextToken;
    } while (nextToken !== undefined && found.size < MOST_EVENTS);
  }
  const arns = [...found];
  if (arns.length === 0) return [];
  for (let at = 0; at < arns.length; at += DETAILS_AT_ONCE) {
    const eventArns = arns.slice(at, at + DETAILS_AT_ONCE);
    const { successfulSet = [] } = await client.send(new DescribeEventDetailsCommand({ eventArns }), options);
    answers.push({ ResponseMetadata: {}, successfulSet });
  }
  for (let at = 0; at < arns.length; at += ENTITIES_AT_ONCE) {
    const eventArns = arns.slice(at, at + ENTITIES_AT_ONCE);
    let token: string | undefined;
    do {
      const command = new DescribeAffectedEntitiesCommand({
        filter: { eventArns },
        ...(token ? { nextToken: token } : {}),
      });
      const { entities = [], nextToken: next } = await client.send(command, options);
      answers.push({ ResponseMetadata: {}, entities });
      token = next;
    } while (token !== undefined);
  }
  return answers;
}
