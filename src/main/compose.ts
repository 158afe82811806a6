import { availableParallelism, homedir, release, totalmem } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type CreatedApi, createApi } from '../core/api/index.ts';
import type { Host } from '../model/contract/index.ts';
import type { Archives } from '../model/storage/archive.ts';
import type { CaseStorage } from '../model/storage/case-storage.ts';
import type { Feeds } from '../model/storage/feed.ts';
import type { StartProcess } from '../model/storage/statement-process.ts';
import { bundleFiles } from './bundle/bundle-files.ts';
import { withBundles } from './bundle/open-bundle.ts';
import { secret } from './capture/plan/secret.ts';
import type { WatchedFolders } from './capture/watched-files/watched-folders.ts';
import { writeDemoFiles } from './demo/index.ts';
import { writeScenario } from './demo/scenarios/index.ts';
import { caseFolders } from './engine/case-folders.ts';
import { engineVersion, openNativeEngine } from './engine/native-engine.ts';
import { exportFiles } from './exports/export-files.ts';
import type { FileHandles } from './hosts/file-handles.ts';
import { ownFile } from './own-file.ts';
import { threadedReader } from './sources/threaded-reader.ts';
import { startNodeProcess } from './statement-process.ts';

export const version: string = packageJson.version;

declare const FAULTLINE_COMMIT: string;
/** Written in by the build; sources that run by themselves are of no commit. */
export const commit: string = typeof FAULTLINE_COMMIT === 'string' ? FAULTLINE_COMMIT : 'not built';

const platform = (): (readonly [string, string])[] => {
  const { node, electron, chrome } = process.versions;
  return [
    ['commit', commit],
    ['runs on', `Node ${node}${electron ? `, Electron ${electron}, Chromium ${chrome}` : ''}`],
    ['database', `DuckDB ${engineVersion}`],
    ['system', `${process.platform} ${process.arch} ${/^[\d.]*/.exec(release())?.[0]}`],
    ['machine', `${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`],
  ];
};

/** Where cases that were not given a place live. FAULTLINE_HOME overrides, for tests and for tidy people. */
export const dataRoot = (): string =>
  process.env.FAULTLINE_HOME ?? join(process.env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'faultline');

/** The user's own mechanisms, in place of those that come with Faultline. */
export const mechanismsPath = (root: string = dataRoot()): string => join(root, 'mechanisms.yaml');

/** The user's own thresholds of patterns. */
export const thresholdsPath = (root: string = dataRoot()): string => join(root, 'thresholds.yaml');

/** The same place as a person writes it: it names neither the user nor this machine. */
function placeText(path: string): string {
  const { FAULTLINE_HOME, XDG_DATA_HOME } = process.env;
  const from = [
    [FAULTLINE_HOME, '$FAULTLINE_HOME'],
    [XDG_DATA_HOME, '$XDG_DATA_HOME'],
    [homedir(), '~'],
  ] as const;
  const known = from.find(([folder]) => folder && path.startsWith(join(folder, sep)));
  return known?.[0] ? join(known[1], relative(known[0], path)) : basename(path);
}

async function loadFeeds({ kind, confirm }: Host, root: string, watched?: WatchedFolders): Promise<Feeds> {
  const [{ createFeeds }, { SecretHosts }] = await Promise.all([
    import('./capture/index.ts'),
    import('./capture/plan/secret-hosts.ts'),
  ]);
  return createFeeds(kind === 'cli', new SecretHosts(join(root, 'secret-hosts.json'), confirm ?? null), watched);
}

async function loadArchives({ kind, confirm }: Host, root: string): Promise<Archives> {
  const [{ createArchives }, { SecretHosts }] = await Promise.all([
    import('./archives/index.ts'),
    import('./capture/plan/secret-hosts.ts'),
  ]);
  return createArchives(kind === 'cli', new SecretHosts(join(root, 'secret-hosts.json'), confirm ?? null));
}

/** Puts the parts together for one host: the only place that knows all of them. */
export function compose(options: {
  readonly host: Host;
  readonly files: FileHandles;
  readonly workerFile: URL;
  readonly root?: string;
  /** File of thresholds in place of the user's own. */
  readonly thresholds?: string | null;
  readonly storage?: CaseStorage;
  /** Folders that plans of windows may watch from the beginning. */
  readonly watched?: WatchedFolders;
  /** How the host starts a process for statements of people; left out: as Node does. */
  readonly startProcess?: StartProcess;
}): CreatedApi {
  const root = options.root ?? dataRoot();
  const thresholds = options.thresholds ?? thresholdsPath(root);
  const start = options.startProcess ?? startNodeProcess(new URL('query-process.js', options.workerFile));
  let feeds: Promise<Feeds> | undefined;
  let archives: Promise<Archives> | undefined;
  return createApi({
    host: options.host,
    version,
    platform,
    files: options.files,
    storage: options.storage ?? withBundles(caseFolders(root, start), root),
    bundles: bundleFiles(secret),
    exports: exportFiles,
    reader: threadedReader(options.workerFile),
    scratch: () => openNativeEngine(':memory:'),
    feeds: () => (feeds ??= loadFeeds(options.host, root, options.watched)),
    archives: () => (archives ??= loadArchives(options.host, root)),
    mechanismsFile: ownFile(mechanismsPath(root), 'mechanisms'),
    mechanismsPlace: placeText(mechanismsPath(root)),
    thresholdsFile: ownFile(thresholds, 'thresholds'),
    thresholdsPlace: placeText(thresholds),
    demoFiles: async (scenario) => {
      const folder = join(root, 'demo-files');
      return scenario ? (await writeScenario(join(folder, scenario), scenario)).paths : writeDemoFiles(folder);
    },
    now: () => BigInt(Date.now()) * 1_000_000n,
  });
}
