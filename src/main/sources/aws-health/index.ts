import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { asList, asObject, asText, at, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { appendEnvelope, appendScheduledEvent, isEnvelope, isScheduledEvent } from './envelope.ts';
import { HealthCalls } from './health-calls.ts';

/**
 * AWS Health: EventBridge envelopes (and their EC2 siblings, and the events of the instance metadata service), and the
 * answers of the API, whose three calls lie in three files of a folder and are joined by ARN.
 */
export const awsHealth: Source = {
  id: 'aws-health',
  title: 'AWS Health events (EventBridge, API answers, instance metadata)',
  looks_for:
    'AWS Health: EventBridge envelopes with detail-type, or DescribeEvents, DescribeEventDetails, DescribeAffectedEntities',
  detect: (head) => kindOf(head) !== undefined,
  gather: { root: (path, head) => (kindOf(head) === 'api' ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : path) },
  read,
};

function kindOf(head: FileHead): 'api' | 'events' | undefined {
  const body = bodyOf(head.object);
  if (isApiAnswer(body)) return 'api';
  const first = Array.isArray(head.json) ? head.json[0] : head.json;
  return isEnvelope(first) || isScheduledEvent(first) ? 'events' : undefined;
}

/** botocore recordings wrap the answer. */
const bodyOf = (value: unknown): unknown => ('status_code' in asObject(value) ? asObject(value).data : value);

function isApiAnswer(body: unknown): boolean {
  const { events, successfulSet, entities } = asObject(body);
  const first = asObject(asList(events)[0]);
  if ('eventTypeCode' in first && 'arn' in first) return true;
  if ('eventTypeCode' in asObject(asObject(asList(successfulSet)[0]).event)) return true;
  return 'eventArn' in asObject(asList(entities)[0]) && 'entityValue' in asObject(asList(entities)[0]);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const calls = new HealthCalls();
  let done = 0;
  for (const file of input.files) {
    for await (const record of jsonRecords(file.open())) {
      if (record.reason !== undefined) builder.reject(file.path, record.at, record.reason, record.excerpt);
      else {
        const problem = readRecord(builder, calls, record.value);
        if (problem !== '') builder.reject(file.path, record.at, problem, rawText(record.value).slice(0, 500));
      }
      if (builder.rowCount >= BATCH_ROWS) yield builder.finish(done + record.at);
    }
    done += file.bytes;
  }
  calls.append(builder);
  yield builder.finish(done);
}

function readRecord(builder: BatchBuilder, calls: HealthCalls, value: unknown): string {
  const body = bodyOf(value);
  if (isApiAnswer(body) || 'ResponseMetadata' in asObject(body)) return calls.add(asObject(body));
  if (isScheduledEvent(body)) return appendScheduledEvent(builder, asObject(body));
  if (isEnvelope(body)) return appendEnvelope(builder, asObject(body));
  return asText(at(body, 'source')) === '' ? 'no AWS Health event' : 'an event without detail';
}
