import { newScratch } from '../../src/main/disk/scratch-folder.ts';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import { inspect } from '../../src/main/sources/files/inspect.ts';
import { readSource, sourceInput } from '../../src/main/sources/files/read-source.ts';
import { Scratch } from '../../src/main/sources/files/unpack.ts';
import { unreadable } from '../../src/main/sources/files/unreadable.ts';
import { sources } from '../../src/main/sources/index.ts';
import { eventMarks } from '../../src/main/sources/otlp/record-events.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { fail, ProblemError } from '../../src/model/problem.ts';
import type { OpenedSource, ReadOrder, SourceReader } from '../../src/model/storage/source.ts';

/**
 * The importers without threads, for tests of what becomes of the rows: starting two or three threads for each test takes
 * longer than reading a small file. Threads, pieces and their cancelling have tests of their own.
 */
export function inThreadReader(): SourceReader {
  return {
    details: readDetails,
    eventMarks,
    places: readPlaces,
    formats: sources.map(({ id, title, leaves_open = [], columns }) => ({
      id,
      title,
      leaves_open,
      has_columns: columns !== undefined,
    })),
    inspect: async (dropped, onProgress) => {
      const scratch = await newScratch('import');
      let files = 0;
      const onFile = (path: string) => onProgress({ files: ++files, path });
      const found = await inspect(dropped, { sources, scratch: new Scratch(scratch.folder), onFile });
      return { sources: found, close: scratch.remove };
    },
    columns: async (order, signal) => {
      const scratch = await newScratch('import');
      const { source, input } = sourceInput(order, sources, {
        scratch: new Scratch(scratch.folder),
        database: (paths) => openFileEngine(paths, signal),
      });
      const table = await (source.columns?.(input) ?? fail('file.no_columns', `${order.name} is no table`));
      await scratch.remove();
      return table;
    },
    open,
  };
}

let opened = 0;

async function open(order: ReadOrder, signal: AbortSignal): Promise<OpenedSource> {
  const scratch = await newScratch('import');
  let consumed = Promise.withResolvers<number>();
  const reading = readSource(order, sources, {
    scratch: new Scratch(scratch.folder),
    database: (paths) => openFileEngine(paths, signal),
    memory: { numbering: `in-thread.${opened++}` },
    taken: async () => {
      const rows = await consumed.promise;
      consumed = Promise.withResolvers();
      return rows;
    },
  });
  const ended = Promise.withResolvers<{ digest: string; bytes: number }>();
  ended.promise.catch(() => undefined);
  async function* batches() {
    try {
      for await (const one of reading.batches()) {
        signal.throwIfAborted();
        yield { ...one, release: (rows: number) => void (one.batch.file && consumed.resolve(rows)) };
      }
      ended.resolve(reading.end());
    } catch (error) {
      const problem = error instanceof ProblemError ? null : unreadable(error);
      const known = problem ? new ProblemError(problem) : error;
      ended.reject(known);
      throw known;
    } finally {
      await scratch.remove();
    }
  }
  return { batches: batches(), end: ended.promise, close: scratch.remove };
}
