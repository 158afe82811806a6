import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { asList, asObject, asText, at, type Json, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { joined } from '../log-lines/joined.ts';
import { liftFields } from '../log-record/lift.ts';
import { countOf } from '../log-record/moment.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';

/** Where the records lie: Loki's query_range and tail, Elasticsearch and OpenSearch searches, CloudWatch Logs' FilterLogEvents and GetLogEvents. */
const LISTS = ['data.result', 'streams', 'hits.hits', 'events'];

/** Members of an answer, with records or without. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...LISTS,
  'data.resultType',
  'hits.total',
  'took',
  '_source',
  'nextToken',
  'searchedLogStreams',
]);

/** Answers of log stores. */
export const logAnswers: Source = {
  id: 'log-answers',
  title: 'Answers of log stores (Loki, Elasticsearch, OpenSearch, CloudWatch Logs)',
  looks_for: 'JSON: data.resultType "streams", hits.hits with _source, or "events" with message and timestamp',
  leaves_open: ['zone', 'device'],
  detect,
  read,
};

function detect({ object }: FileHead): boolean {
  if (at(object, 'data', 'resultType') === 'streams') return true;
  if (typeof at(asList(object.streams)[0], 'stream') === 'object') return true;
  const hit = '_index' in object ? object : asList(at(object, 'hits', 'hits'))[0];
  const document = at(hit, '_source');
  // Jaeger keeps its spans in the same store.
  if (typeof document === 'object' && document !== null) return !('operationName' in document);
  const event = asObject(asList(object.events)[0]);
  return typeof event.message === 'string' && typeof event.timestamp === 'number' && !('device_id' in event);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const reader = new AnswerReader(input);
  const { builder } = reader;
  let done = 0;
  let isAnswer = false;
  for await (const record of jsonRecords(input.chunks, LISTS)) {
    done = record.at;
    isAnswer ||= MEMBERS.has(record.path) || (record.reason === undefined && at(record.value, '_source') !== undefined);
    if (record.reason !== undefined) builder.reject(input.name, record.at, record.reason, record.excerpt);
    else {
      const object = asObject(record.value);
      if (Array.isArray(object.values)) {
        for (const one of object.values) {
          reader.value(asObject(object.stream), asList(one), record.at);
          if (builder.rowCount >= BATCH_ROWS) yield reader.finish(done);
        }
      } else if ('_source' in object) reader.document(asObject(object._source), record.at);
      // One document per line: its members come one by one.
      else if (record.path === '_source') reader.document(object, record.at);
      else if (record.path === 'events') reader.event(object, record.at);
      else if (LISTS.includes(record.path))
        reader.reject('neither a stream, a document nor an event', object, record.at);
    }
    if (builder.rowCount >= BATCH_ROWS) yield reader.finish(done);
  }
  if (!isAnswer) fail('log_answers.wrong_shape', `${input.name} is no answer of a log store`, { place: input.name });
  yield reader.finish(done);
}

class AnswerReader {
  readonly builder = new BatchBuilder();
  private readonly name: string;
  private readonly writer: LogRecordWriter;
  private readonly clocks: WallClocks;

  constructor(input: SourceInput) {
    this.name = input.name;
    this.clocks = new WallClocks(input);
    const where = { format: logAnswers.id, device: input.assume.device ?? '', fileName: input.name };
    this.writer = new LogRecordWriter(this.builder, where);
  }

  /** One entry of a stream of Loki: nanoseconds as text, line, perhaps structured metadata. */
  value(labels: Json, [time, line, more]: readonly unknown[], place: number): void {
    const { structuredMetadata, parsed, ...plain } = asObject(more);
    const { detected_level, ...metadata } = {
      ...labels,
      ...plain,
      ...asObject(structuredMetadata),
      ...asObject(parsed),
    };
    const fields: Json = { ...(detected_level !== undefined && { level: detected_level }), ...metadata };
    if (typeof line !== 'string') this.reject('an entry without a line', [time, line, more], place);
    else this.append(countOf(time, 'ns'), { ...fields, message: line }, line, place);
  }

  /** A document of Elasticsearch or OpenSearch. */
  document(source: Json, place: number): void {
    this.append(undefined, source, rawText(source), place);
  }

  /** An event of CloudWatch Logs; times are milliseconds. */
  event({ timestamp, message, logStreamName, logGroupName, ingestionTime: _, eventId: __ }: Json, place: number): void {
    const text = asText(message).replace(/\r?\n$/, '');
    const names = { 'aws.log.stream.names': logStreamName, 'aws.log.group.names': logGroupName };
    this.append(countOf(timestamp, 'ms'), { ...names, message: text }, text, place);
  }

  reject(reason: string, value: unknown, place: number): void {
    this.builder.reject(this.name, place, reason, rawText(value).slice(0, 500));
  }

  private append(time: bigint | undefined, fields: Json, raw: string, place: number): void {
    const lifted = liftFields(fields);
    const { moment } = lifted;
    const time_ns = time ?? (moment === undefined ? undefined : this.clocks.instantOf(moment, this.builder));
    if (time_ns === undefined) this.reject('a record without a time', fields, place);
    else this.writer.append({ ...joined(lifted), time_ns, raw });
  }

  finish(done: number): RowBatch {
    this.writer.nextBatch();
    return this.builder.finish(done);
  }
}
