import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { appendActivity, appendAvailability, appendScheduled, appendServiceEvent } from './azure-event.ts';

/** Azure Resource Health (REST and activity log), Service Health events, and scheduled events of the metadata service. */
export const azureHealth: Source = {
  id: 'azure-health',
  title: 'Azure Resource Health, activity log and scheduled events',
  looks_for: 'Azure: availabilityStatuses, Resource Health activity log entries, or DocumentIncarnation with Events',
  detect: (head) =>
    recordsIn(Array.isArray(head.json) ? head.json[0] : head.json).some((one) => appenderOf(one) !== undefined),
  read,
};

/** The records inside the wrappers of examples, webhooks and lists. */
function recordsIn(value: unknown, depth = 0): readonly Json[] {
  const object = asObject(value);
  if (depth > 4) return [];
  const inner =
    at(object, 'responses', '200', 'body') ??
    at(object, 'data', 'context', 'activityLog') ??
    at(object, 'data', 'alertContext');
  if (inner !== undefined) return recordsIn(inner, depth + 1);
  if ('DocumentIncarnation' in object) return asList(object.Events).map(asObject);
  for (const list of [object.value, object.records])
    if (Array.isArray(list)) return list.flatMap((one) => recordsIn(one, depth + 1));
  if (asText(object.type).endsWith('ScheduledEventEmitted'))
    return recordsIn(at(object, 'data', 'resourceInfo', 'properties') ?? object.data, depth + 1);
  return [object];
}

type Append = (builder: BatchBuilder, record: Json) => string;

function appenderOf(record: Json): Append | undefined {
  if ('EventId' in record && 'NotBefore' in record && 'Resources' in record) return appendScheduled;
  if (typeof at(record, 'properties', 'availabilityState') === 'string') return appendAvailability;
  const operation = textOrValue(record.operationName);
  if (/resourcehealth\/healthevent/i.test(operation)) return appendActivity;
  return 'impactStartTime' in asObject(record.properties) ? appendServiceEvent : undefined;
}

/** Depending on the route a field is plain text or `{value, localizedValue}`. */
const textOrValue = (value: unknown): string => asText(value) || asText(asObject(value).value);

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  let done = 0;
  for await (const record of jsonRecords(input.chunks)) {
    done = record.at;
    if (record.reason !== undefined) builder.reject(input.name, record.at, record.reason, record.excerpt);
    else
      for (const one of recordsIn(record.value)) {
        const append = appenderOf(one);
        const problem = append ? append(builder, one) : 'no Azure health record';
        if (problem !== '') builder.reject(input.name, record.at, problem, rawText(one).slice(0, 500));
      }
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(done);
  }
  yield builder.finish(done);
}
