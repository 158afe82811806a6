import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preventable, strict } from './strict.ts';

export interface ApplicationOptions {
  readonly appPath: string;
  readonly isPackaged: boolean;
  readonly userData: string | undefined;
  /** Closes every window and waits until they are gone. */
  closeWindows(): Promise<void>;
  /** The process may end. */
  finish(code: number): Promise<void>;
}

interface Manifest {
  readonly name?: string;
  readonly productName?: string;
  readonly version?: string;
}

const FOLDERS = new Set([
  'home',
  'appData',
  'userData',
  'sessionData',
  'temp',
  'exe',
  'desktop',
  'documents',
  'downloads',
  'logs',
]);

function readManifest(appPath: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(appPath, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

/** `app`: the life of the process, with Electron's order of events and its rules about what comes before `ready`. */
export function createApplication(options: ApplicationOptions) {
  const manifest = readManifest(options.appPath);
  const ready = Promise.withResolvers<void>();
  const state = {
    ready: false,
    quitting: false,
    sandboxEnabled: false,
    locked: false,
    lockFree: true,
    name: manifest.productName ?? manifest.name ?? 'Electron',
  };
  const switches = new Map<string, string>();
  const events = new EventEmitter();

  const quit = async (): Promise<void> => {
    if (state.quitting) return;
    state.quitting = true;
    for (const step of ['before-quit', 'will-quit']) {
      const event = preventable({});
      events.emit(step, event);
      if (event.defaultPrevented) {
        state.quitting = false;
        return;
      }
      if (step === 'before-quit') await options.closeWindows();
    }
    await exit(0);
  };
  let exiting = false;
  const exit = async (code: number): Promise<void> => {
    if (exiting) return;
    exiting = true;
    state.quitting = true;
    events.emit('quit', {}, code);
    await options.finish(code);
  };

  const members = {
    isPackaged: options.isPackaged,
    commandLine: strict('app.commandLine', {
      appendSwitch: (name: string, value = ''): void => void switches.set(name, value),
      hasSwitch: (name: string): boolean => switches.has(name),
      getSwitchValue: (name: string): string => switches.get(name) ?? '',
    }),
    whenReady: (): Promise<void> => ready.promise,
    isReady: (): boolean => state.ready,
    getName: (): string => state.name,
    setName: (name: string): void => {
      state.name = name;
    },
    getVersion: (): string => manifest.version ?? '0.0.0',
    getAppPath: (): string => options.appPath,
    getLocale: (): string => 'en-US',
    getPath: (name: string): string => {
      if (!FOLDERS.has(name)) throw new Error(`Failed to get '${name}' path`);
      return join(options.userData ?? join(options.appPath, '.standin'), name);
    },
    enableSandbox: (): void => {
      if (state.ready) throw new Error('app.enableSandbox() can only be called before app is ready');
      state.sandboxEnabled = true;
    },
    requestSingleInstanceLock: (): boolean => {
      state.locked = state.lockFree;
      return state.locked;
    },
    hasSingleInstanceLock: (): boolean => state.locked,
    quit: (): void => void quit(),
    exit: (code = 0): void => void exit(code),
  };
  const becomeReady = (): void => {
    state.ready = true;
    events.emit('will-finish-launching');
    events.emit('ready', {}, {});
    ready.resolve();
  };
  return { app: strict('app', Object.assign(events, members)), state, switches, becomeReady };
}

export type Application = ReturnType<typeof createApplication>;
