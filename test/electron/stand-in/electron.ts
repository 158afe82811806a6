import type { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions } from 'electron';
import { createApplication } from './application.ts';
import type { Backend } from './backend.ts';
import { createWindows, type WindowDouble } from './browser-window.ts';
import { createDesktop } from './desktop.ts';
import { createIpcMain } from './ipc-main.ts';
import { MessageChannelMain } from './ports.ts';
import { createSession } from './session.ts';
import { createUtilityProcess } from './utility-process.ts';

export interface StandInOptions {
  readonly backend: Backend;
  /** The folder of the app's package.json. */
  readonly appPath: string;
  readonly isPackaged?: boolean;
  readonly userData?: string;
  onExit?(code: number): void;
}

/**
 * The `electron` module of the main process, made of Node and a backend. It has only what is written here; touching
 * anything else throws. `control` is for the tests: what was registered, asked and logged.
 */
export function createStandIn(options: StandInOptions) {
  const { backend } = options;
  const windows = new Set<WindowDouble>();
  const windowOptions = new WeakMap<object, BrowserWindowConstructorOptions>();
  const application = createApplication({
    appPath: options.appPath,
    isPackaged: options.isPackaged ?? false,
    userData: options.userData,
    closeWindows: async () => {
      const gone = [...windows].map((window) => new Promise((resolve) => window.once('closed', resolve)));
      for (const window of [...windows]) window.close();
      await Promise.all(gone);
    },
    finish: async (code) => {
      await backend.stop();
      options.onExit?.(code);
    },
  });
  const { app, state } = application;
  const isReady = (): boolean => state.ready;
  const { protocol, privileged, serve, policy, session, defaultSession, serving } = createSession(isReady);
  const { dialog, shell, clipboard, Menu, log, answers } = createDesktop(isReady);
  const { ipcMain, handlers } = createIpcMain();
  const { utilityProcess, started } = createUtilityProcess(isReady);
  const { BrowserWindow, webContents } = createWindows({
    backend,
    app: app as EventEmitter,
    ipcMain: ipcMain as EventEmitter,
    handlers,
    onWindowAllowed: (url) => void log.push({ what: 'window allowed', args: [url] }),
    windows,
    serving,
    options: windowOptions,
    isReady,
    isQuitting: () => state.quitting,
    isSandboxForced: () => state.sandboxEnabled,
    quit: () => app.quit(),
  });
  const electron = {
    app,
    BrowserWindow,
    clipboard,
    dialog,
    ipcMain,
    Menu,
    MessageChannelMain,
    protocol,
    session,
    shell,
    utilityProcess,
    webContents,
  };
  const control = {
    policy,
    log,
    answers,
    privileged,
    handlers,
    serve,
    defaultSession,
    windowOptions,
    state,
    started,
    switches: application.switches,
  };
  const launch = async (launching: { readonly noSandbox?: boolean } = {}): Promise<void> => {
    await backend.start({ noSandbox: launching.noSandbox ?? false, serve });
    application.becomeReady();
  };
  return { electron, control, launch };
}

export type StandIn = ReturnType<typeof createStandIn>;
