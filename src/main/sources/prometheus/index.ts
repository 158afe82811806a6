import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { type Line, readLines } from '../bytes/lines.ts';
import { PointWriter } from '../series-meaning/point-writer.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { looksLikeProtobuf, looksLikeText } from './format.ts';
import { ScrapeReader } from './scrape-reader.ts';
import { type Survey, surveyOf } from './survey.ts';

export const prometheus: Source = {
  id: 'prometheus',
  title: 'Prometheus and OpenMetrics scrapes (text)',
  looks_for: 'lines such as "# TYPE name gauge" or name{label="value"} 1.5',
  leaves_open: ['time', 'device'],
  detect: (head: FileHead) => looksLikeText(head.text) || looksLikeProtobuf(head.bytes),
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const [file] = input.files;
  const survey = await surveyIfPossible(input);
  const builder = new BatchBuilder();
  const writer = new PointWriter(
    builder,
    surroundingsOf(input, survey.host, (text) => builder.remark(text)),
  );
  const reader = new ScrapeReader(builder, writer, survey, file, input.name);
  let bytes = 0;
  let lastByte = 0x0a;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input.chunks) {
      if (bytes === 0 && looksLikeProtobuf(chunk)) refuseProtobuf(input.name);
      bytes += chunk.length;
      lastByte = chunk.at(-1) ?? lastByte;
      yield chunk;
    }
  }
  function* rows(work: Generator<void>): Generator<RowBatch> {
    for (const _ of work) if (builder.rowCount >= BATCH_ROWS) yield finish();
    if (builder.rowCount >= BATCH_ROWS) yield finish();
  }
  const finish = (): RowBatch => {
    writer.nextBatch();
    return builder.finish(bytes);
  };
  let last: Line | undefined;
  for await (const line of readLines(counted())) {
    if (last) yield* rows(reader.line(last));
    last = line;
  }
  // A value that is cut off at the end of the file would be wrong.
  if (last && lastByte !== 0x0a && !/^\s*(#|$)/.test(last.text))
    builder.reject(input.name, last.at, 'the last line has no line end: it may be cut', last.text);
  else if (last) yield* rows(reader.line(last));
  yield* rows(reader.end());
  yield finish();
}

/** A stream that breaks in the middle is reported when it is read for its rows. */
async function surveyIfPossible({ files: [file] }: SourceInput): Promise<Survey> {
  const nothing = { openMetrics: false, host: undefined, timeless: 0 };
  if (!file) return nothing;
  try {
    return await surveyOf(file.open());
  } catch (error) {
    if (error instanceof ProblemError) return nothing;
    throw error;
  }
}

const refuseProtobuf = (name: string): never =>
  fail('prometheus.protobuf', `${name} is a scrape in the protobuf encoding, which is not read`, {
    place: name,
    hint: 'scrape again with "Accept: text/plain"',
  });
