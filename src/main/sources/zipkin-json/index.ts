import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { FileHead, Source, SourceInput } from '../../../model/storage/source.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { Output } from '../otlp/output.ts';
import { attempt, excerptOf } from '../traces/attempt.ts';
import { appendZipkinSpan, resourceOf } from './append-span.ts';
import { isMembers, isSpan, type Members } from './format.ts';
import { fromVersion1, isVersion1 } from './from-version-1.ts';
import { SharedSpans } from './shared-spans.ts';

export const zipkinJson: Source = {
  id: 'zipkin-json',
  title: 'Zipkin JSON (version 2, and 1 with annotations)',
  looks_for: 'a JSON list of spans with "traceId", "id" and "localEndpoint"',
  detect: ({ json }: FileHead) => isSpan(firstOf(firstOf(json))),
  read,
};

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[])[0] : value);

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const shared = await learn(input);
  const out = new Output(input.name, 'zipkin endpoint');
  let records = 0;
  for await (const record of jsonRecords(input.chunks)) {
    if (record.reason !== undefined) out.reject(record.at, record.reason, record.excerpt);
    else
      for (const span of spansIn(record.value)) {
        records++;
        if (isMembers(span)) appendOne(out, span, shared, record.at);
        else out.reject(record.at, 'the span is not an object', excerptOf(span));
      }
    yield* out.take(record.at);
  }
  if (records === 0 && out.rejects === 0)
    fail('zipkin.no_spans', `${input.name} holds no spans of Zipkin`, { place: input.name });
  yield* out.take(0, true);
}

/** Which ids client and server share: known only when the whole file has been seen once. */
async function learn({ files }: SourceInput): Promise<SharedSpans> {
  const shared = new SharedSpans();
  for await (const record of jsonRecords(files[0]?.open() ?? (async function* () {})())) {
    if (record.reason !== undefined) continue;
    for (const span of spansIn(record.value))
      if (isMembers(span)) for (const half of halvesOf(span)) shared.learn(half);
  }
  return shared;
}

/** Spans are in a list, or in lists of traces, or one to a line. */
const spansIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]).flat() : [value]);

const halvesOf = (span: Members): readonly Members[] => (isVersion1(span) ? fromVersion1(span) : [span]);

function appendOne(out: Output, span: Members, shared: SharedSpans, at: number): void {
  attempt(out, at, span, () => {
    for (const half of halvesOf(span)) {
      out.enterResource(resourceOf(half), '');
      appendZipkinSpan(out, half, shared);
    }
  });
  out.recordDone(at);
}
