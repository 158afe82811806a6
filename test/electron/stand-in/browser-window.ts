import { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions, WebPreferences } from 'electron';
import type { Backend, Page, PageSink, Serve } from './backend.ts';
import { preventable, strict } from './strict.ts';
import { type ContentsShared, createWebContents, type WebContentsDouble } from './web-contents.ts';

/** What a window needs of the rest of the stand-in. */
export interface WindowShared extends ContentsShared {
  readonly backend: Backend;
  readonly app: EventEmitter;
  readonly isReady: () => boolean;
  readonly isQuitting: () => boolean;
  readonly isSandboxForced: () => boolean;
  readonly quit: () => void;
  readonly windows: Set<WindowDouble>;
  /** By session of a partition. */
  readonly serving: WeakMap<object, Serve>;
  /** The options each window was made with, for the tests: Electron itself has no way to read them back. */
  readonly options: WeakMap<object, BrowserWindowConstructorOptions>;
}

type Options = BrowserWindowConstructorOptions;

/** Electron 20's defaults, under what the app asked for; `app.enableSandbox()` wins over both. */
function effectivePreferences(shared: WindowShared, wanted: WebPreferences = {}): WebPreferences {
  const preferences = {
    contextIsolation: true,
    nodeIntegration: false,
    sandbox: true,
    webSecurity: true,
    webviewTag: false,
    ...wanted,
  };
  if (shared.isSandboxForced()) preferences.sandbox = true;
  if (preferences.nodeIntegration && preferences.sandbox)
    throw new Error('electron stand-in: nodeIntegration under the sandbox is not modelled');
  return preferences;
}

let nextId = 1;

export class WindowDouble extends EventEmitter {
  readonly id: number = nextId++;
  readonly webContents: WebContentsDouble;
  private readonly shared: WindowShared;
  private readonly page: Promise<Page>;
  private readonly state: { title: string; visible: boolean; minimized: boolean; destroyed: boolean; shown: boolean };

  constructor(shared: WindowShared, options: Options = {}) {
    super();
    if (!shared.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    const self = strict('BrowserWindow', this);
    this.shared = shared;
    this.state = {
      title: options.title ?? 'Electron',
      visible: options.show !== false,
      minimized: false,
      destroyed: false,
      shown: false,
    };
    const { contents, sink, current } = createWebContents(shared, {
      id: this.id,
      page: () => this.page,
      isDestroyed: () => this.state.destroyed,
      getTitle: () => this.state.title,
      loadURL: (url) => this.loadURL(url),
      close: () => this.close(),
    });
    this.webContents = contents;
    shared.windows.add(self);
    shared.options.set(self, options);
    const preferences = effectivePreferences(shared, options.webPreferences);
    const { preload, contextIsolation = true, javascript = true, session } = preferences;
    const serve = session && shared.serving.get(session);
    const { width = 800, height = 600 } = options;
    const pageSink: PageSink = { ...sink, onLoaded: () => this.loaded(), onClosed: () => this.gone(self, sink) };
    this.page = shared.backend.open({ preload, contextIsolation, width, height, serve, javascript }, pageSink);
    this.withPage((page) => {
      current.targetId = page.targetId;
      targets.set(page.targetId, contents);
    });
    this.page.catch(() => pageSink.onClosed());
    shared.app.emit('web-contents-created', {}, contents);
    shared.app.emit('browser-window-created', {}, self);
    // biome-ignore lint/correctness/noConstructorReturn: an unknown member must throw on instances too
    return self;
  }

  /** Nothing happens when the page could not be opened: the window is gone then. */
  private withPage(use: (page: Page) => unknown): void {
    this.page.then(use).catch(() => undefined);
  }

  private loaded(): void {
    this.webContents.emit('dom-ready', {});
    this.webContents.emit('did-finish-load', {});
    if (this.state.shown) return;
    this.state.shown = true;
    this.emit('ready-to-show');
  }

  private gone(self: WindowDouble, sink: Pick<PageSink, 'onDocumentGone'>): void {
    if (this.state.destroyed) return;
    const { windows, app, isQuitting, quit } = this.shared;
    this.state.destroyed = true;
    windows.delete(self);
    sink.onDocumentGone();
    this.webContents.emit('destroyed');
    this.emit('closed');
    if (windows.size > 0 || isQuitting()) return;
    if (app.listenerCount('window-all-closed') === 0) quit();
    else app.emit('window-all-closed');
  }

  async loadURL(url: string): Promise<void> {
    await (await this.page).navigate(url);
  }
  show(): void {
    this.state.visible = true;
    this.emit('show');
  }
  isVisible(): boolean {
    return this.state.visible;
  }
  focus(): void {
    this.emit('focus');
  }
  minimize(): void {
    this.state.minimized = true;
  }
  restore(): void {
    this.state.minimized = false;
  }
  isMinimized(): boolean {
    return this.state.minimized;
  }
  getTitle(): string {
    return this.state.title;
  }
  isDestroyed(): boolean {
    return this.state.destroyed;
  }
  close(): void {
    if (this.state.destroyed) return;
    const event = preventable({});
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  destroy(): void {
    this.withPage((page) => page.close());
  }
}

const targets = new Map<string, WebContentsDouble>();

export interface BrowserWindowClass {
  new (options?: Options): WindowDouble;
  getAllWindows(): WindowDouble[];
  getFocusedWindow(): WindowDouble | null;
  fromWebContents(contents: { readonly id: number } | undefined): WindowDouble | null;
}

/** `BrowserWindow` and `webContents` of one stand-in. */
export function createWindows(shared: WindowShared) {
  const { windows } = shared;
  class BrowserWindow extends WindowDouble {
    constructor(options?: Options) {
      super(shared, options);
    }
    static getAllWindows(): WindowDouble[] {
      return [...windows];
    }
    /** As if nobody touched the mouse: a window that is shown takes the focus. */
    static getFocusedWindow(): WindowDouble | null {
      return [...windows].findLast((window) => window.isVisible()) ?? null;
    }
    static fromWebContents(contents: { readonly id: number } | undefined): WindowDouble | null {
      return [...windows].find((window) => window.id === contents?.id) ?? null;
    }
  }
  const webContents = strict('webContents', {
    getAllWebContents: (): WebContentsDouble[] => [...windows].map((window) => window.webContents),
    fromDevToolsTargetId: (targetId: string): WebContentsDouble | undefined => targets.get(targetId),
  });
  const bound: BrowserWindowClass = BrowserWindow;
  return { BrowserWindow: bound, webContents };
}
