import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { vi } from 'vitest';
import type { ElectronOptions } from '../../src/main/hosts/electron.ts';
import {
  type Api,
  DESKTOP_PORT_MESSAGE,
  type DesktopBridge,
  type Host,
  wireSerializers,
} from '../../src/model/contract/index.ts';
import type { createSampleApi as CreateSampleApi } from './sample-api.ts';
import type { WindowDouble } from './stand-in/browser-window.ts';
import { createStandIn } from './stand-in/electron.ts';
import { createInProcessBackend, type FakeWindow, type RunPreload, runBuiltPreload } from './stand-in/in-process.ts';

export const root = resolve(import.meta.dirname, '../..');
export const builtPreload = join(root, 'out/preload/index.cjs');

/** The channel names, spelled out: main and preload must agree on them, and share no file for them. */
export const PORT = 'faultline:port';
export const ADOPT = 'faultline:adopt-file';

/** Where the code under test lies: the project itself, or a copy of it with a deliberate fault. */
export interface Sources {
  readonly hosts: string;
  readonly preload: string;
}
export const projectSources: Sources = {
  hosts: join(root, 'src/main/hosts'),
  preload: join(root, 'src/preload/index.ts'),
};

export interface BootOptions {
  readonly isPackaged?: boolean;
  readonly lockFree?: boolean;
  readonly builtPreload?: boolean;
  readonly platform?: NodeJS.Platform;
  /** What the system's file manager opens before the app is ready. */
  readonly openFile?: string;
  /** What a link of the system names before the app is ready. */
  readonly openUrl?: string;
  openApi?(host: Host, first: string | null): ReturnType<ElectronOptions['openApi']>;
}

/** How long a check waits for what should happen; the fault injection, where much never happens, waits less. */
export const patience = { ms: 8000 };
export const eventually = (assertion: () => void): Promise<void> =>
  vi.waitFor(assertion, { timeout: patience.ms, interval: 5 });

const madeFolders: string[] = [];
export function removeRendererDirs(): void {
  for (const folder of madeFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A renderer of two files, so that the tests depend on no build. {@link removeRendererDirs} takes it away. */
export function makeRendererDir(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-renderer-')));
  madeFolders.push(folder);
  mkdirSync(join(folder, 'renderer/assets'), { recursive: true });
  writeFileSync(join(folder, 'renderer/index.html'), '<!doctype html><title>Test</title>');
  writeFileSync(join(folder, 'renderer/assets/index.js'), 'export {};');
  writeFileSync(join(folder, 'renderer/assets/index.js.map'), '{}');
  writeFileSync(join(folder, 'secret.json'), '{"secret":true}');
  return folder;
}

const modules = {
  electron: async (sources: Sources) =>
    (await import(
      /* @vite-ignore */ join(sources.hosts, 'electron.ts')
    )) as typeof import('../../src/main/hosts/electron.ts'),
  fileHandles: async (sources: Sources) =>
    (await import(
      /* @vite-ignore */ join(sources.hosts, 'file-handles.ts')
    )) as typeof import('../../src/main/hosts/file-handles.ts'),
};

const runSourcePreload =
  (sources: Sources): RunPreload =>
  async (_path, environment) => {
    vi.resetModules();
    vi.doMock('electron', () => environment.require('electron') as object);
    // Until the app stops: a preload uses its window later too.
    vi.stubGlobal('window', environment.window);
    await import(/* @vite-ignore */ sources.preload);
  };

/** Everything on stderr while a check runs; the app's log is one line per entry. */
function captureLog(): { readonly lines: string[]; stop(): void } {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  return { lines, stop: () => spy.mockRestore() };
}

/** A process ends with its timers; here the next check goes on in the same process, so they are cleared by hand. */
function trackTimers(): { clear(): void } {
  const timers: NodeJS.Timeout[] = [];
  const real = globalThis.setTimeout;
  const tracked = (...args: Parameters<typeof real>): NodeJS.Timeout => {
    const timer = real(...args);
    timers.push(timer);
    return timer;
  };
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(tracked as typeof real);
  return {
    clear: () => {
      spy.mockRestore();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** As the host shows a window once its page has loaded, with the preload run; or it could not start, and is gone. */
async function isShown(window: WindowDouble | undefined): Promise<void> {
  if (!window || window.isVisible()) return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the window never appeared')), patience.ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    window.once('show', done);
    window.once('closed', done);
  });
}

/** Starts the real host on the in-process stand-in; every window runs the real preload. */
export async function boot(sources: Sources, options: BootOptions = {}) {
  vi.resetModules();
  const folder = makeRendererDir();
  const exits: number[] = [];
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  process.on('unhandledRejection', onRejection);
  const log = captureLog();
  if (options.platform) vi.spyOn(process, 'platform', 'get').mockReturnValue(options.platform);
  const { backend, pages } = createInProcessBackend(options.builtPreload ? runBuiltPreload : runSourcePreload(sources));
  const standIn = createStandIn({
    backend,
    appPath: root,
    isPackaged: options.isPackaged ?? false,
    onExit: (code) => exits.push(code),
  });
  const { electron, control } = standIn;
  control.state.lockFree = options.lockFree ?? true;
  vi.doMock('electron', () => ({ ...electron, default: electron }));
  const { createFileHandles } = await modules.fileHandles(sources);
  // After the reset: its problems must be of the very class that the host knows.
  const { createSampleApi } = await import('./sample-api.ts');
  const { startElectron } = await modules.electron(sources);
  const sample: { current?: ReturnType<typeof CreateSampleApi>; host?: Host; closed: number } = { closed: 0 };
  const openApi = async (host: Host) => {
    sample.host = host;
    sample.current = createSampleApi(host);
    return { api: sample.current.api, close: async () => void sample.closed++ };
  };
  const files = createFileHandles();
  startElectron({
    rendererDir: join(folder, 'renderer'),
    preloadFile: builtPreload,
    files,
    openApi: options.openApi ?? openApi,
  });
  if (options.openFile) electron.app.emit('open-file', { preventDefault: () => undefined }, options.openFile);
  if (options.openUrl) electron.app.emit('open-url', { preventDefault: () => undefined }, options.openUrl);
  const timers = trackTimers();
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    electron.app.exit(0);
    await eventually(() => {
      if (exits.length === 0) throw new Error('the app did not exit');
    });
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', onRejection);
    timers.clear();
    log.stop();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  };
  await standIn.launch();
  await isShown(electron.BrowserWindow.getAllWindows()[0]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { electron, control, pages, exits, files, sample, folder, rejections, log: log.lines, stop };
}

export type Booted = Awaited<ReturnType<typeof boot>>;

/** The only window, its page, and what the preload put there. */
export function firstWindow({ electron, pages }: Booted) {
  const [window] = electron.BrowserWindow.getAllWindows();
  const [page] = pages;
  if (!window || !page) throw new Error('no window');
  return { window, page, contents: window.webContents, bridge: page.world.faultline as DesktopBridge };
}

/** Runs in a page: asks for a connection and waits for its port. */
export async function connect(world: FakeWindow): Promise<MessagePort> {
  const arrived = new Promise<MessagePort>((resolve) => {
    world.addEventListener('message', ({ data, ports = [] }) => {
      if ((data as { type?: unknown } | null)?.type === DESKTOP_PORT_MESSAGE) resolve(ports[0] as MessagePort);
    });
  });
  (world.faultline as DesktopBridge).connect();
  const port = await arrived;
  port.start();
  return port;
}

/** The client as the renderer has it, over a port. */
export const clientOver = (port: MessagePort): Api =>
  createORPCClient(new RPCLink({ port, customJsonSerializers: [...wireSerializers] })) as unknown as Api;

/** Everything that was sent to the page or asked of main has arrived after this. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));
