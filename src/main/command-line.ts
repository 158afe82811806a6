import { once } from 'node:events';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import type { Host } from '../model/contract/index.ts';
import { fail } from '../model/problem.ts';
import { type CaseStorage, olderDatabase, type StoredCase } from '../model/storage/case-storage.ts';
import type { ExportTarget } from '../model/storage/export-files.ts';
import { isBundle, openBundleOnce } from './bundle/open-bundle.ts';
import { readBundle } from './bundle/read-bundle.ts';
import { secret } from './capture/plan/secret.ts';
import { commit, compose, mechanismsPath, thresholdsPath, version } from './compose.ts';
import { writeDemoFiles } from './demo/index.ts';
import { writeScenario } from './demo/scenarios/index.ts';
import { newScratch } from './disk/scratch-folder.ts';
import { writeWhole } from './disk/write-whole.ts';
import { isFree, openCaseFolder, openCaseToRead } from './engine/case-folders.ts';
import { openNativeEngine } from './engine/native-engine.ts';
import { salvageCase } from './engine/salvage-case.ts';
import { runCommandLine } from './hosts/cli.ts';
import type { Core, Terminal } from './hosts/commands/command.ts';
import { createFileHandles } from './hosts/file-handles.ts';
import { messages } from './hosts/messages.ts';
import { readSecret } from './hosts/read-secret.ts';
import { safeFileName } from './hosts/security.ts';
import { type StandardStreams, standardStreams } from './hosts/standard-streams.ts';
import { type Interruption, interruption } from './interruption.ts';

const MEMORY = ':memory:';

/** The command line of the folder that the build put its files in. */
export async function runMain(home: string): Promise<void> {
  const stop = interruption();
  const streams = standardStreams();
  process.exitCode = await runCommandLine(process.argv.slice(2), createTerminal(home, stop, streams));
  await streams.settle();
}

/** What commands may do, with output to these streams; `home` is the folder of the build. */
export function createTerminal(
  home: string,
  { signal, waitForEnd }: Interruption,
  { out, data, summary, err, progress, outlast }: StandardStreams,
): Terminal {
  const workerFile = pathToFileURL(join(home, 'import-worker.js'));
  return {
    version,
    commit,
    signal,
    interactive: process.stderr.isTTY === true,
    prompt: hasTerminal() ? (promptText) => prompt(promptText, signal) : null,
    secret: async (question) => readSecret(question, signal),
    out,
    data,
    summary,
    err,
    progress,
    outlastOutput: outlast,
    waitForEnd,
    openCore: async (_root, thresholds) => openCore(workerFile, err, thresholds),
    writeFile: async (path, text) => {
      // Not recursive where it exists already: some systems' special folders never answer that.
      if (!(await stat(dirname(path)).catch(() => null))) await mkdir(dirname(path), { recursive: true });
      await writeWhole(path, text);
    },
    readFile: (path) => readFile(path, 'utf8'),
    readReleases: async (place) => (await import('./read-releases.ts')).readReleases(place, signal),
    listFolder: async (path) =>
      (await readdir(path, { withFileTypes: true })).map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory(),
      })),
    corpusPath: join(home, '../../corpus'),
    mechanismsPath: mechanismsPath(),
    thresholdsPath: thresholdsPath(),
    pushOtlp: async ({ url, headers }, requests) => {
      const read = Object.entries(headers).map(async ([name, place]) => [name, await secret(place)] as const);
      const { pushOtlp } = await import('./capture/push/push-otlp.ts');
      return pushOtlp({ url, headers: Object.fromEntries(await Promise.all(read)) }, requests, signal);
    },
    verifyBundle: async (path, key) => {
      const pem = key === null ? null : await readFile(key, 'utf8');
      return readBundle(path, { key: pem, signal, unpackTo: null });
    },
    writeDemo: writeDemoFiles,
    writeScenario,
    serve: async ({ casePath, port, sendSecrets, watch }) => {
      const { startWebHost } = await import('./hosts/web.ts');
      const files = createFileHandles();
      const { folder: outbox, remove } = await newScratch('outbox');
      const bundleTarget: Host['bundleTarget'] = async (name) => ({
        path: join(outbox, safeFileName(name)),
        key: null,
        download: true,
      });
      const exportTarget: Host['exportTarget'] = async (name) => ({
        path: join(outbox, safeFileName(name)),
        overwrite: true,
        download: true,
      });
      const confirm = confirmOn(sendSecrets, err, signal);
      const web = { ...host, ...confirm, kind: 'web' as const, bundleTarget, exportTarget };
      const watched = await watchedFolders(watch);
      const { api, close } = compose({ host: web, files, workerFile, ...(watched && { watched }) });
      if (casePath !== null) await api['case.open']({ handle: (await files.register(casePath)).handle });
      const served = await startWebHost({ api, files, rendererDir: join(home, '../renderer'), port, outbox });
      const closed = new Promise<void>((resolve) => {
        const end = () => void served.close().then(close).then(remove).then(resolve);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      });
      return { url: served.url, closed };
    },
  };
}

async function watchedFolders(paths: readonly string[]) {
  if (paths.length === 0) return undefined;
  const { WatchedFolders } = await import('./capture/watched-files/watched-folders.ts');
  const folders = new WatchedFolders();
  for (const path of paths) await folders.add(path);
  return folders;
}

/** How a window's wish is asked about: by the terminal that serves it; where there is none it is refused. */
function confirmOn(isAllowed: boolean, err: Terminal['err'], signal: AbortSignal): Pick<Host, 'confirm'> {
  if (isAllowed) return { confirm: async () => 'once' };
  if (!hasTerminal()) return {};
  return {
    confirm: async ({ message, detail, yes }) => {
      err(`${message}\n  ${detail.replaceAll('\n', '\n  ')}\n`);
      return /^y/i.test((await prompt(`${yes}? [y/N] `, signal)).trim()) ? 'always' : 'no';
    },
  };
}

const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** The terminal stays as it is, so that Ctrl-C goes on being a signal. */
async function prompt(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    return await Promise.race([lines.question(question, { signal }), once(lines, 'close').then(() => '')]);
  } finally {
    lines.close();
  }
}

const host: Host = { kind: 'cli', pickFiles: async () => [], saveFile: async () => null };

/** The same case, which states where it keeps what it was before an upgrade. */
function statingCopies(stored: StoredCase, err: Terminal['err']): StoredCase {
  const { keepOlder } = stored;
  if (!keepOlder) return stored;
  return {
    ...stored,
    keepOlder: (schema) => {
      err(`faultline: ${messages.commandLine.keptOlder(olderDatabase(schema))}\n`);
      return keepOlder(schema);
    },
  };
}

/** The command line names cases by path: `open` and `create` both mean that place, and no list is kept. */
function openCore(workerFile: URL, err: Terminal['err'], thresholds: string | null = null): Core {
  const files = createFileHandles();
  let place = '';
  let isChanged = true;
  const onCopy = () => err(`faultline: ${messages.commandLine.openElsewhere}\n`);
  let target: Awaited<ReturnType<NonNullable<Host['bundleTarget']>>> = null;
  let exportTarget: ExportTarget | null = null;
  const storage: CaseStorage = {
    open: async () => {
      if (await isBundle(place)) return openBundleOnce(place);
      return statingCopies(
        await (isChanged ? openCaseFolder(place, { create: false }) : openCaseToRead(place, onCopy)),
        err,
      );
    },
    create: async () =>
      place === MEMORY
        ? { engine: await openNativeEngine(MEMORY), name: 'files', path: place }
        : openCaseFolder(place, { create: true }),
    recent: async () => [],
    openRecent: async () => fail('case.not_recent', 'the command line keeps no list of cases'),
    salvage: salvageCase,
  };
  const handles = {
    register: files.register,
    path: (handle: string) => (handle === 'case' ? place : files.path(handle)),
  };
  const { api, close } = compose({
    host: { ...host, bundleTarget: async () => target, exportTarget: async () => exportTarget },
    files: handles,
    workerFile,
    storage,
    thresholds,
  });
  return {
    api,
    close,
    register: async (path) => {
      if (await isBundle(path))
        fail('bundle.not_records', `${basename(path)} is a bundle: a case of its own, not records for another`, {
          hint: 'give it to a command in the place of CASE, or open it in the app',
          place: basename(path),
        });
      return (await files.register(path)).handle;
    },
    openCase: (path, options) => {
      place = path;
      isChanged = options?.toChange ?? false;
      return api['case.open']({ handle: 'case' });
    },
    repair: async (path, to) => {
      if (await stat(to).catch(() => null))
        fail('case.exists', `there is ${to} already`, { hint: 'name another: --out FILE' });
      place = to;
      return api['case.repair']({ handle: (await files.register(path)).handle });
    },
    bundleTo: (path, key) => {
      target = { path, key, download: false };
    },
    exportTo: (path, overwrite) => {
      exportTarget = { path, overwrite, download: false };
    },
    placeCase: async (path) => {
      if (await isBundle(path))
        fail('bundle.read_only', 'a bundle is handed over as it is: nothing is recorded into it', {
          hint: 'open it in the app, which makes a case of it, or import into a case NAME.faultline',
        });
      place = path;
      isChanged = true;
      // An existing case is opened now; a new one is made by the first file that can be read.
      if (path !== MEMORY && !(await isFree(path))) await api['case.open']({ handle: 'case' });
    },
  };
}
