import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../src/core/api/index.ts';
import { SourceWriter } from '../src/core/store/writer/append.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { createFileHandles } from '../src/main/hosts/file-handles.ts';
import { threadedReader } from '../src/main/sources/threaded-reader.ts';
import type { ImportEvent } from '../src/model/contract/index.ts';
import { print, within } from './figures.ts';
import { generateSpans } from './otlp-spans.ts';

const SPANS = 300_000;
const BUDGET_MS = 200;

interface Timed {
  /** From the start of the import; negative: it was never cancelled. */
  readonly at: number;
  /** From the abort to the end of the generator. */
  readonly ended: number;
  /** From the abort to the answer of the case, as a window asks for it. */
  readonly free: number;
  readonly total: number;
}

/** How long a cancelled import goes on: at moments of its reading, at its commit, and while conclusions are drawn. */
export async function benchCancel(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  try {
    const { protobuf } = generateSpans(SPANS);
    const file = join(folder, 'spans.binpb');
    await writeFile(file, protobuf);
    const small = join(folder, 'small.binpb');
    await writeFile(small, generateSpans(500).protobuf);
    const { total } = await cancelled(folder, [file], () => () => undefined);
    console.log(`\ncancelling an import of ${SPANS} spans, which takes ${Math.round(total)} ms\n`);
    for (const share of [0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95])
      printTiming(
        `after ${Math.round(share * 100)} % of its time`,
        await cancelled(folder, [file], (abort) => after(share * total, abort)),
      );
    printTiming('when the commit begins', await cancelled(folder, [file], atCommit));
    printTiming('right after the commit of the first of two', await cancelled(folder, [file, small], onSource));
    printTiming(
      'while conclusions are drawn',
      await cancelled(folder, [file], (abort) => (event) => {
        if (event.kind === 'source') setTimeout(abort, 20);
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Watch = (event: ImportEvent) => void;
const after = (ms: number, abort: () => void): Watch => {
  setTimeout(abort, ms);
  return () => undefined;
};
/** A moment into the work of the commit. */
const atCommit = (abort: () => void): Watch => {
  const { commit } = SourceWriter.prototype;
  SourceWriter.prototype.commit = function (...end) {
    SourceWriter.prototype.commit = commit;
    setTimeout(abort, 5);
    return commit.apply(this, end);
  };
  return () => undefined;
};
const onSource =
  (abort: () => void): Watch =>
  (event) => {
    if (event.kind === 'source') abort();
  };

function printTiming(what: string, { at, ended, free }: Timed): void {
  if (at < 0) print(what, 'through before', '');
  else
    print(
      `${what} (${Math.round(at)} ms)`,
      `${Math.round(ended)} ms`,
      `${within(ended, BUDGET_MS, 'ms')}, free after ${Math.round(free)} ms`,
    );
}

async function cancelled(folder: string, paths: readonly string[], plan: (abort: () => void) => Watch): Promise<Timed> {
  const path = await mkdtemp(join(folder, 'case-'));
  const files = createFileHandles();
  const open = () => openCaseFolder(path, { create: true });
  const { api, close } = createApi({
    host: { kind: 'cli', pickFiles: async () => [], saveFile: async () => null },
    version: 'bench',
    storage: { open, create: open, recent: async () => [], openRecent: open },
    reader: threadedReader(new URL('../out/main/import-worker.js', import.meta.url)),
    files,
    demoFiles: async () => [],
    now: () => 0n,
  });
  const handles = await Promise.all(paths.map(async (one) => (await files.register(one)).handle));
  const cancel = new AbortController();
  let aborted = 0;
  const from = performance.now();
  const watch = plan(() => {
    aborted = performance.now();
    cancel.abort();
  });
  try {
    for await (const event of api['import.run']({ handles }, { signal: cancel.signal })) watch(event);
  } catch (error) {
    if (!cancel.signal.aborted) throw error;
  }
  const ended = performance.now();
  await api['case.current']({});
  const free = performance.now();
  await close();
  await rm(path, { recursive: true, force: true });
  const total = ended - from;
  if (aborted === 0 || aborted > ended) return { at: -1, ended: 0, free: 0, total };
  return { at: aborted - from, ended: ended - aborted, free: free - aborted, total };
}
