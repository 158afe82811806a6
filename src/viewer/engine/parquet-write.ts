import { Compression, Table, WriterPropertiesBuilder, writeParquet as write } from 'parquet-wasm/esm';
import { type Connected, runSliced } from './running-query.ts';
import { harmless } from './untrusted.ts';

/** Rows of a row group; the same as in bundles of the desktop, which this writes as well. */
const ROW_GROUP = 30_720;

/** A statement's whole answer as one Parquet file (zstd). */
export const writeParquet = (
  { bindings, connection }: Connected,
  sql: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> =>
  harmless({ bindings, connection }, sql, signal, async (statement) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of runSliced(bindings, connection, statement, { signal, whole: true }))
      pieces.push(piece as Uint8Array<ArrayBuffer>);
    const stream = new Uint8Array(await new Blob(pieces).arrayBuffer());
    const properties = new WriterPropertiesBuilder()
      .setCompression(Compression.ZSTD)
      .setMaxRowGroupSize(ROW_GROUP)
      .build();
    return write(Table.fromIPCStream(stream), properties) as Uint8Array<ArrayBuffer>;
  });
