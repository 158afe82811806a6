import { tableFromIPC } from 'apache-arrow';
import { ParquetFile } from 'parquet-wasm/esm';
import { fail } from '../../model/problem.ts';
import type { ParquetFacts } from '../../model/storage/engine.ts';
import type { Connected } from './running-query.ts';
import { sqlType } from './sql-types.ts';

/** Row groups that are decoded at once: more cost memory, fewer time. */
const GROUPS = 4;

/** Metadata of a Parquet file; reads its footer only. */
export async function describeParquet(file: Blob): Promise<ParquetFacts> {
  const opened = await ParquetFile.fromFile(file);
  try {
    const { fields } = tableFromIPC(opened.schema().intoIPCStream()).schema;
    return {
      columns: fields.map(({ name, type }) => ({ name, type: sqlType(type) })),
      rows: opened.metadata().fileMetadata().numRows(),
    };
  } finally {
    opened.free();
  }
}

/** Appends the rows of a file, whose columns are the table's. @throws ProblemError bundle.too_large */
export async function insertParquet(
  { bindings, connection }: Connected,
  { table, file }: { readonly table: string; readonly file: Blob },
  { mostTextBytes, signal }: { readonly mostTextBytes: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const opened = await ParquetFile.fromFile(file);
  let text = 0;
  try {
    const groups = opened.metadata().numRowGroups();
    for (let from = 0; from < groups; from += GROUPS) {
      signal?.throwIfAborted();
      const rowGroups = Array.from({ length: Math.min(GROUPS, groups - from) }, (_, i) => from + i);
      const stream = (await opened.read({ rowGroups })).intoIPCStream();
      text += stream.length;
      if (text > mostTextBytes)
        fail(
          'bundle.too_large',
          `this bundle's ${table} unpacks to more than ${Math.round(mostTextBytes / 2 ** 30)} GiB`,
        );
      bindings.insertArrowFromIPCStream(connection, stream, { name: table, create: false });
    }
  } finally {
    opened.free();
  }
}
