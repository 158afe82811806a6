import { basename } from 'node:path';
import { RPCHandler } from '@orpc/server/message-port';
import type {
  IpcMainEvent,
  IpcMainInvokeEvent,
  MessagePortMain,
  OpenDialogOptions,
  SaveDialogOptions,
  Session,
  WebContents,
} from 'electron';
import { app, BrowserWindow, dialog, ipcMain, Menu, MessageChannelMain, protocol, session, shell } from 'electron';
import { type Api, DESKTOP_PORT_MESSAGE, type Host, wireSerializers } from '../../model/contract/index.ts';
import { fail } from '../../model/problem.ts';
import { createRoutes, newWindow } from '../../wire/rpc.ts';
import { writeWhole } from '../disk/write-whole.ts';
import { createAssetServer } from './assets.ts';
import { macMenu } from './electron-menu.ts';
import { printPdf } from './electron-print.ts';
import { adoptPath, type FileHandles } from './file-handles.ts';
import { createLinkInbox, type LinkInbox } from './link-inbox.ts';
import { messages } from './messages.ts';
import {
  isAllowedExternal,
  isAppUrl,
  isClientMessage,
  isTrustedSender,
  linkIn,
  ORIGIN,
  openedPath,
  SCHEME,
  safeFileName,
} from './security.ts';

interface OpenedApi {
  readonly api: Api;
  close(): Promise<void>;
  /** Whether a capture is running, which closing would end. */
  isRecording?(): boolean;
}
export interface ElectronOptions {
  readonly rendererDir: string;
  readonly preloadFile: string;
  readonly files: FileHandles;
  /** @param first the case or bundle that the app was started for */
  openApi(host: Host, first: string | null): Promise<OpenedApi>;
}

/** Time for the store to close; after it the process ends, because without a window it must not keep the instance lock. */
const SHUTDOWN_LIMIT_MS = 10_000;
const ADOPT_CHANNEL = 'faultline:adopt-file';

const logLine = (text: string): void => void process.stderr.write(`faultline: ${text.replaceAll(/\s+/g, ' ')}\n`);
const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The desktop host. Call it while the main script is first evaluated: a part of it must run before `ready`. */
export function startElectron(options: ElectronOptions): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
  app.enableSandbox();
  // The window needs no network: no name resolves, neither for the page nor for Chromium itself.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  const links = createLinkInbox(
    () => workingWindow()?.webContents,
    () => logLine(messages.desktop.linkRefused),
  );
  let opened: string | null = null;
  // macOS names what was opened by an event, and before `ready`; while a case may be open, nothing outside replaces it.
  app.on('open-file', (event, path) => {
    event.preventDefault();
    opened ??= openedPath([path]);
  });
  app.on('open-url', (event, link) => {
    event.preventDefault();
    links.take(link);
  });
  app.on('web-contents-created', (_event, contents) => confine(contents));
  app.on('window-all-closed', () => process.platform !== 'darwin' && app.quit());
  app
    .whenReady()
    .then(() => run(options, links, opened ?? openedPath(process.argv.slice(1))))
    .catch(giveUp);
}

function giveUp(error: unknown): void {
  logLine(messages.desktop.cannotStart.log(reason(error)));
  dialog.showErrorBox(messages.desktop.cannotStart.title, reason(error));
  app.exit(1);
}

function run(options: ElectronOptions, links: LinkInbox, first: string | null): void {
  serveApp(options.rendererDir);
  denyPermissions(session.defaultSession);
  // Without a menu there is no accelerator for reload or DevTools.
  Menu.setApplicationMenu(process.platform === 'darwin' ? macMenu() : null);
  let isRecording = () => false;
  const open = () => confirmBeforeQuit(createWindow(options.preloadFile), () => isRecording());
  const opened = options.openApi(desktopHost(open), first);
  opened.then((api) => {
    isRecording = () => api.isRecording?.() ?? false;
  }, giveUp);
  closeOnQuit(opened);
  answerWindows(opened, options.files, links);
  links.take(linkIn(process.argv.slice(1)));
  open();
  app.on('activate', () => void (BrowserWindow.getAllWindows().length === 0 && open()));
  // Any process of this user, and any page, can start a second instance: of its arguments only a link is read, and checked.
  app.on('second-instance', (_event, args) => {
    links.take(linkIn(args));
    const [window] = BrowserWindow.getAllWindows();
    if (window?.isMinimized()) window.restore();
    window?.focus();
  });
}

/** Preferences of every page of this process. */
const isolated = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
};

function createWindow(preload: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    show: false,
    title: messages.app,
    backgroundColor: '#101418',
    webPreferences: {
      ...isolated,
      preload,
      devTools: !app.isPackaged,
    },
  });
  window.once('ready-to-show', () => window.show());
  offerReload(window);
  window.loadURL(`${ORIGIN}/index.html`).catch((error: unknown) => logLine(messages.desktop.notLoaded(reason(error))));
  return window;
}

/** The last window would end a running capture: a prompt comes first. */
function confirmBeforeQuit(window: BrowserWindow, isRecording: () => boolean): void {
  let mayClose = false;
  let isPromptOpen = false;
  const confirmQuit = async (): Promise<void> => {
    const { message, detail, buttons } = messages.desktop.closeCapture;
    const answer = await dialog.showMessageBox(window, {
      type: 'question',
      message,
      detail,
      buttons: [buttons.keep, buttons.end],
      defaultId: 0,
      cancelId: 0,
    });
    isPromptOpen = false;
    if (answer.response !== 1 || window.isDestroyed()) return;
    mayClose = true;
    window.close();
  };
  window.on('close', (event) => {
    if (mayClose || BrowserWindow.getAllWindows().length > 1 || !isRecording()) return;
    event.preventDefault();
    if (!isPromptOpen) void confirmQuit();
    isPromptOpen = true;
  });
}

/** Offers once to reload a window whose page crashed or hangs; the case in main is unharmed. */
function offerReload(window: BrowserWindow): void {
  let asking = false;
  const { buttons, message, detail, processGone, unresponsive } = messages.desktop.reload;
  const offer = async (what: string, recover: () => void): Promise<void> => {
    if (asking || window.isDestroyed()) return;
    asking = true;
    logLine(what);
    const answer = await dialog.showMessageBox(window, {
      type: 'error',
      message,
      detail: detail(what),
      buttons: [buttons.reload, buttons.later],
      defaultId: 0,
      cancelId: 1,
    });
    if (answer.response === 0 && !window.isDestroyed()) recover();
    else asking = false;
  };
  const contents = window.webContents;
  // Not earlier: ending a hanging page also reports its process as gone.
  contents.on('did-finish-load', () => {
    asking = false;
  });
  contents.on('render-process-gone', (_event, { reason: why }) => {
    if (why !== 'clean-exit') void offer(processGone(why), () => contents.reload());
  });
  window.on('unresponsive', () => {
    // A hanging page cannot be reloaded; its process must end first.
    void offer(unresponsive, () => {
      contents.forcefullyCrashRenderer();
      contents.reload();
    });
  });
}

function serveApp(rendererDir: string): void {
  const serve = createAssetServer(rendererDir);
  protocol.handle(SCHEME, async (request) => {
    if (!isAppUrl(request.url)) return new Response(messages.web.notFound, { status: 404 });
    const { status, headers, body } = await serve(request.method, new URL(request.url).pathname);
    return new Response(body, { status, headers });
  });
}

/** Rules for all web contents, now and later. */
function confine(contents: WebContents): void {
  const blockNavigation = (event: { readonly url: string; preventDefault(): void }): void => {
    if (!isAppUrl(event.url)) event.preventDefault();
  };
  contents.on('will-navigate', blockNavigation);
  contents.on('will-redirect', blockNavigation);
  contents.on('will-frame-navigate', blockNavigation);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('select-bluetooth-device', (event, _devices, choose) => {
    event.preventDefault();
    choose('');
  });
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
  contents.setWindowOpenHandler(({ url }) => {
    if (isAllowedExternal(url))
      shell.openExternal(url).catch((error: unknown) => logLine(messages.desktop.noBrowser(reason(error))));
    return { action: 'deny' };
  });
}

function denyPermissions(target: Session): void {
  target.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  target.setPermissionCheckHandler(() => false);
  target.setDevicePermissionHandler(() => false);
  target.setDisplayMediaRequestHandler((_request, choose) => choose(null));
  target.on('select-hid-device', (event, _details, choose) => {
    event.preventDefault();
    choose();
  });
  target.on('select-usb-device', (event, _details, choose) => {
    event.preventDefault();
    choose();
  });
  target.on('select-serial-port', (event, _ports, _contents, choose) => {
    event.preventDefault();
    choose('');
  });
  target.on('will-download', (event) => event.preventDefault());
}

/** A window can request two services of main: a connection, and a handle for a dropped file. */
function answerWindows(opened: Promise<OpenedApi>, files: FileHandles, links: LinkInbox): void {
  const handler = opened.then(
    ({ api }) => new RPCHandler(createRoutes(api), { customJsonSerializers: [...wireSerializers] }),
  );
  handler.catch(() => undefined); // `giveUp` reports why `opened` failed
  ipcMain.on(DESKTOP_PORT_MESSAGE, ({ sender, senderFrame }: IpcMainEvent) => {
    if (!isTrustedSender(senderFrame)) return;
    links.connected(sender);
    const { port1, port2 } = new MessageChannelMain();
    senderFrame.postMessage(DESKTOP_PORT_MESSAGE, null, [port2]);
    handler.then(
      (ready) => {
        ready.upgrade(checked(port1), newWindow());
        port1.start();
      },
      () => port1.close(),
    );
  });
  ipcMain.handle(ADOPT_CHANNEL, async ({ senderFrame }: IpcMainInvokeEvent, path: unknown) => {
    if (!isTrustedSender(senderFrame)) throw new Error('untrusted sender');
    return await adoptPath(files, path);
  });
}

/** Passes only what our own client sends; see {@link isClientMessage}. */
const checked = (port: MessagePortMain) => ({
  on: (name: string, listener: (event?: { data: unknown }) => void): void => {
    if (name === 'close') port.on('close', () => listener());
    else port.on('message', (event) => isClientMessage(event.data) && listener(event));
  },
  postMessage: (data: unknown): void => port.postMessage(data),
});

/** Options of the system's dialog; most systems cannot offer files and folders together. */
const pickers: Readonly<Record<Parameters<Host['pickFiles']>[0], OpenDialogOptions>> = {
  case: { title: messages.desktop.openCase, properties: ['openDirectory'] },
  import: { title: messages.desktop.importFiles, properties: ['openFile', 'multiSelections'] },
  watch: { title: messages.desktop.watchFolder, properties: ['openDirectory'] },
  folder: { title: messages.desktop.importFolder, properties: ['openDirectory', 'multiSelections'] },
};

/** More than anybody needs; a faulty page must not open windows without end. */
const MOST_WINDOWS = 12;

/** The window that dialogs belong to. */
const workingWindow = (): BrowserWindow | undefined =>
  BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];

const desktopHost = (open: () => void): Host => ({
  kind: 'electron',
  openWindow: () => {
    const { message, hint } = messages.desktop.tooManyWindows;
    if (BrowserWindow.getAllWindows().length >= MOST_WINDOWS) fail('window.too_many', message(MOST_WINDOWS), { hint });
    open();
  },
  printPdf: (html) => printPdf(html, isolated, denyPermissions),
  confirm: confirmAccess,
  pickFiles: async (purpose) => {
    const parent = workingWindow();
    if (!parent) return [];
    const answer = await dialog.showOpenDialog(parent, pickers[purpose]);
    return answer.canceled ? [] : answer.filePaths;
  },
  bundleTarget: async (suggestedName) => {
    const filters = [{ name: messages.desktop.bundleType, extensions: ['flb'] }];
    const path = await pickSavePath(suggestedName, { title: messages.desktop.saveBundle, filters });
    return path === null ? null : { path, key: null, download: false };
  },
  exportTarget: async (suggestedName) => {
    const path = await pickSavePath(suggestedName, { title: messages.desktop.export });
    return path === null ? null : { path, overwrite: true, download: false };
  },
  saveFile: async (suggestedName, content) => {
    const path = await pickSavePath(suggestedName, { title: messages.desktop.save });
    if (path === null) return null;
    const name = basename(path);
    try {
      await writeWhole(path, content);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : null;
      const { message, hint } = messages.desktop.notWritten;
      fail('file.not_written', message(name, code), { hint, place: name });
    }
    return { name };
  },
});

/** The system shows the prompt, not the page; Enter, Escape and the absence of a window mean no. */
const confirmAccess: NonNullable<Host['confirm']> = async ({ message, detail, yes }) => {
  const parent = workingWindow();
  if (!parent) return 'no';
  const buttons = [messages.desktop.doNotAllow, yes];
  const options = { type: 'warning' as const, message, detail, buttons, defaultId: 0, cancelId: 0, noLink: true };
  return (await dialog.showMessageBox(parent, options)).response === 1 ? 'always' : 'no';
};

/** Prompts for the path of a file to write; null without a window. @throws ProblemError file.save_cancelled */
async function pickSavePath(suggestedName: string, about: SaveDialogOptions): Promise<string | null> {
  const parent = workingWindow();
  if (!parent) return null;
  const answer = await dialog.showSaveDialog(parent, { ...about, defaultPath: safeFileName(suggestedName) });
  if (answer.canceled || answer.filePath === '') fail('file.save_cancelled', messages.desktop.nothingSaved);
  return answer.filePath;
}

/** Quitting waits for the store, so that the case on disk is complete; after the limit the process ends anyway. */
function closeOnQuit(opened: Promise<OpenedApi>): void {
  let closing = false;
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (closing) return;
    closing = true;
    const limit = Promise.withResolvers<never>();
    setTimeout(() => limit.reject(new Error(messages.desktop.closeTimeout)), SHUTDOWN_LIMIT_MS);
    Promise.race([opened.then((api) => api.close()), limit.promise]).then(
      () => app.exit(0),
      (error: unknown) => {
        logLine(messages.desktop.notClosed(reason(error)));
        app.exit(1);
      },
    );
  });
}
