import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { FileHead, Source, SourceInput } from '../../../model/storage/source.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { Output } from '../otlp/output.ts';
import { attempt, excerptOf } from '../traces/attempt.ts';
import { peekHead } from '../traces/peek.ts';
import { appendJaegerSpan, resourceOf } from './append-span.ts';
import { isMembers, isSpan, isTrace, listOf, type Members } from './format.ts';

export const jaegerJson: Source = {
  id: 'jaeger-json',
  title: 'Jaeger JSON (traces of its API and UI, spans of its Elasticsearch indices)',
  looks_for: 'JSON traces with "traceID", "spans" and "processes", or spans with "traceID" and "operationName"',
  detect: (head) => formOf(head) !== undefined,
  read,
};

/** Where in the document traces and spans are listed: dotted paths; none for documents that are one each. */
function formOf({ json, object }: FileHead): readonly string[] | undefined {
  const [first] = Array.isArray(json) ? (json as unknown[]) : [json];
  if (isTrace(first) || isSpan(first) || isSpan(sourceOf(first))) return [];
  const [trace] = listOf(object['data']);
  if (isTrace(trace)) return ['data'];
  const isAnswer = ['total', 'limit', 'offset', 'errors'].every((key) => key in object);
  if (Array.isArray(object['data']) && trace === undefined && isAnswer) return ['data'];
  if (isSpan(listOf(object['spans'])[0])) return ['spans'];
  const { hits } = object;
  return isMembers(hits) && isSpan(sourceOf(listOf(hits['hits'])[0])) ? ['hits.hits'] : undefined;
}

/** The document inside a hit of Elasticsearch. */
const sourceOf = (hit: unknown): unknown => (isMembers(hit) ? hit['_source'] : undefined);

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const lists = formOf(await peekHead(input)) ?? [];
  const out = new Output(input.name, 'jaeger process');
  let records = 0;
  for await (const record of jsonRecords(input.chunks, lists, { exact: true })) {
    if (record.reason !== undefined) out.reject(record.at, record.reason, record.excerpt);
    else if (lists.length === 0 || lists.includes(record.path)) {
      records++;
      const value = sourceOf(record.value) ?? record.value;
      attempt(out, record.at, value, () => appendRecord(out, value, record.at));
    } else if (record.path === 'errors' && listOf(record.value).length > 0)
      out.batch.remark(`Jaeger reports: ${JSON.stringify(record.value).slice(0, 500)}`);
    yield* out.take(record.at);
  }
  if (records === 0 && out.rejects === 0 && lists.length === 0)
    fail('jaeger.no_traces', `${input.name} holds no traces of Jaeger`, { place: input.name });
  yield* out.take(0, true);
}

function appendRecord(out: Output, record: unknown, at: number): void {
  if (isTrace(record)) {
    const processes = isMembers(record['processes']) ? record['processes'] : {};
    const resources = new Map<string, string>();
    for (const span of listOf(record['spans'])) {
      const id = isMembers(span) ? String(span['processID'] ?? '') : '';
      let resource = resources.get(id);
      if (resource === undefined) {
        const process = Object.hasOwn(processes, id) ? processes[id] : undefined;
        resource = resourceOf(process ?? (isMembers(span) ? span['process'] : undefined));
        if (process !== undefined) resources.set(id, resource);
      }
      appendOne(out, span, resource, at);
    }
  } else if (isSpan(record)) appendOne(out, record, resourceOf((record as Members)['process']), at);
  else out.reject(at, 'neither a trace nor a span', excerptOf(record));
}

function appendOne(out: Output, span: unknown, resource: string, at: number): void {
  out.enterResource(resource, '');
  attempt(out, at, span, () => appendJaegerSpan(out, span));
  out.recordDone(at);
}
