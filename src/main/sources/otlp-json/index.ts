import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import { ByteWindow } from '../bytes/byte-window.ts';
import { firstZstdMessage, isZstdMessages, zstdMessages } from '../bytes/zstd-messages.ts';
import { Output } from '../otlp/output.ts';
import { lineBorders } from './borders.ts';
import { detectText } from './detect.ts';
import { DocumentDecoder } from './document.ts';
import { BrokenJson } from './lexer.ts';
import { TextReader } from './text-reader.ts';

async function* readZstd(window: ByteWindow, out: Output): AsyncGenerator<RowBatch> {
  const decoder = new DocumentDecoder(out);
  for await (const { bytes, at, problem } of zstdMessages(window)) {
    let why = problem;
    try {
      if (bytes.length > 0) decoder.document(bytes, 0, bytes.length, at);
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      why ||= `broken JSON in a compressed message: ${error.message}`;
    }
    if (why !== '') out.reject(at, why);
    yield* out.take(window.offset);
  }
}

async function* read(input: SourceInput): AsyncGenerator<RowBatch> {
  const { chunks, piece } = input;
  const window = new ByteWindow(chunks, piece?.offset);
  await window.fill(16);
  const out = Output.of(input);
  if (isZstdMessages(window.bytes.subarray(window.start, window.end))) yield* readZstd(window, out);
  else yield* new TextReader(window, out).read();
  yield* out.take(window.offset, true);
  window.close();
}

/** OTLP/JSON as the collector's file exporter, SDKs, Tempo's API and hand-written tools put it into files. */
export const otlpJson: Source = {
  id: 'otlp-json',
  title: 'OTLP JSON (traces, metrics, logs)',
  looks_for: 'OTLP JSON: objects with resourceSpans, resourceLogs or resourceMetrics',
  detect: ({ bytes }) => detectText(isZstdMessages(bytes) ? firstZstdMessage(bytes) : bytes),
  borders: (head) => (isZstdMessages(head) ? undefined : lineBorders),
  read,
};
