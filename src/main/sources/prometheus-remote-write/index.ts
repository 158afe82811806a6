import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { readSnappyBlock, type SnappyBlock } from '../bytes/snappy.ts';
import { wholeFile } from '../bytes/whole-file.ts';
import { SeriesRows } from '../series-meaning/series-rows.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { MOST_REQUEST_BYTES } from './format.ts';
import { WriteRequestReader } from './request.ts';
import { writeSeries } from './series-writer.ts';

/** The body of a request as a sender of remote write posts it: one snappy block. */
export const prometheusRemoteWrite: Source = {
  id: 'prometheus-remote-write',
  title: 'Prometheus remote write (body of a request, version 1 or 2)',
  looks_for: 'a snappy block with a prometheus.WriteRequest or an io.prometheus.write.v2.Request',
  leaves_open: ['device'],
  detect: ({ bytes }) => bytes.length > 0 && startsRequest(readSnappyBlock(bytes, MOST_REQUEST_BYTES)),
  read,
};

/**
 * Whether its first message is a series with a name, or it is whole and has nothing but metadata. The symbols of version 2 come
 * first and begin with an empty one; where they fill the head, the name of names is among them.
 */
function startsRequest({ bytes, problem }: SnappyBlock): boolean {
  const isCutInSymbols = problem !== '' && bytes[0] === 0x22 && bytes[1] === 0;
  if (isCutInSymbols && Buffer.from(bytes).includes('__name__')) return true;
  let isMetadata = false;
  for (const found of new WriteRequestReader().read(bytes)) {
    if (found.kind !== 'metadata') return found.kind === 'series';
    isMetadata = true;
  }
  return isMetadata && problem === '';
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const rows = new SeriesRows(
    builder,
    surroundingsOf(input, undefined, (text) => builder.remark(text)),
  );
  const packed = await wholeFile(input.chunks, input.name, MOST_REQUEST_BYTES);
  const { bytes, problem } = readSnappyBlock(packed, MOST_REQUEST_BYTES);
  if (bytes.length === 0 && packed.length > 0)
    fail('remote_write.wrong_shape', `${input.name} is no remote-write request: ${problem}`, { place: input.name });
  function* work(): Generator<void> {
    const counts = { samples: 0, histograms: 0, exemplars: 0 };
    for (const found of new WriteRequestReader().read(bytes)) {
      if (found.kind === 'series') yield* writeSeries(rows, found.series, (...parts) => rows.parts(...parts), counts);
      else if (found.kind === 'reject') builder.reject(input.name, found.at, found.reason, '');
      else builder.remark('types and descriptions that come apart from their series are left out');
    }
    yield* rows.end();
    if (problem !== '') builder.reject(input.name, bytes.length, problem, '');
  }
  const finish = (): RowBatch => {
    rows.nextBatch();
    return builder.finish(packed.length);
  };
  for (const _ of work()) if (builder.rowCount >= BATCH_ROWS) yield finish();
  yield finish();
}
