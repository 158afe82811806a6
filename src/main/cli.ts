#!/usr/bin/env node
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CaseStorage } from '../model/case-storage.ts';
import type { Host } from '../model/contract/index.ts';
import { fail } from '../model/problem.ts';
import { compose, version } from './compose.ts';
import { writeDemoFiles } from './demo/index.ts';
import { openCaseFolder } from './engine/case-folders.ts';
import { openNativeEngine } from './engine/native-engine.ts';
import { EXIT, runCommandLine } from './hosts/cli.ts';
import type { Core, Terminal } from './hosts/commands/command.ts';
import { createFileHandles } from './hosts/file-handles.ts';
import { startWebHost } from './hosts/web.ts';

const workerFile = new URL('./import-worker.js', import.meta.url);
const rendererDir = join(import.meta.dirname, '../renderer');
const host: Host = { kind: 'cli', pickFiles: async () => [], saveText: async () => null };

/** The command line opens cases by path, so its storage makes them where it is told and remembers none. */
const byPath: CaseStorage = {
  open: (path) => openCaseFolder(path, { create: false }),
  create: async (path) =>
    path === MEMORY
      ? { engine: await openNativeEngine(MEMORY), name: 'files', path }
      : openCaseFolder(path, { create: true }),
  recent: async () => [],
  openRecent: async () => fail('case.not_recent', 'the command line keeps no list of cases'),
};
const MEMORY = ':memory:';

function openCore(): Core {
  const files = createFileHandles();
  // `case.open` takes handles; a case about to be made has no file yet, so the path itself stands for it.
  const places = new Map<string, string>();
  const handles = { register: files.register, path: (handle: string) => places.get(handle) ?? files.path(handle) };
  let create = false;
  const storage: CaseStorage = { ...byPath, open: (path) => (create ? byPath.create(path) : byPath.open(path)) };
  const { api, close } = compose({ host, files: handles, workerFile, storage });
  return {
    api,
    close,
    register: async (path) => (await files.register(path)).handle,
    openCase: async (path, options = {}) => {
      create = options.create ?? false;
      places.set('case', path);
      return api['case.open']({ handle: 'case' });
    },
  };
}

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
process.once('SIGTERM', () => interrupted.abort(new Error('terminated')));

const terminal: Terminal = {
  version,
  signal: interrupted.signal,
  interactive: process.stderr.isTTY === true,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  openCore: async () => openCore(),
  writeFile: async (path, text) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  },
  writeDemo: writeDemoFiles,
  serve: async (casePath, port) => {
    const files = createFileHandles();
    const { api, close } = compose({ host: { ...host, kind: 'web' }, files, workerFile });
    if (casePath !== null) await api['case.open']({ handle: (await files.register(casePath)).handle });
    const web = await startWebHost({ api, files, rendererDir, port });
    const closed = new Promise<void>((resolve) => {
      interrupted.signal.addEventListener('abort', () => void web.close().then(close).then(resolve), { once: true });
    });
    return { url: web.url, closed };
  },
};

// A reader that goes away (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});
process.exitCode = await runCommandLine(process.argv.slice(2), terminal);
