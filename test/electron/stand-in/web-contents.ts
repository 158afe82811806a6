import { EventEmitter } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { PrintToPDFOptions } from 'electron';
import type { Backend, MainMessage, Page, PageMessage, PageSink } from './backend.ts';
import type { InvokeHandler } from './ipc-main.ts';
import { MessagePortMain } from './ports.ts';
import { preventable, strict } from './strict.ts';

export interface ContentsShared {
  readonly backend: Backend;
  readonly ipcMain: EventEmitter;
  readonly handlers: ReadonlyMap<string, InvokeHandler>;
  /** Popups that main allows are not modelled, only reported. */
  onWindowAllowed(url: string): void;
}

/** What the contents need of their window. */
export interface ContentsHost {
  readonly id: number;
  page(): Promise<Page>;
  isDestroyed(): boolean;
  getTitle(): string;
  loadURL(url: string): Promise<void>;
  close(): void;
}

type Deliver = (message: MainMessage) => void;
type WindowOpenHandler = (details: { readonly url: string }) => { readonly action: 'deny' | 'allow' };

/** Main's ends of the ports that a page holds the other end of. */
function createPortTable(backend: Backend, deliver: Deliver) {
  const openPorts = new Map<string, MessagePort>();
  let next = 0;
  return {
    adopt(port: MessagePortMain): string {
      const id = `main-${next++}`;
      const raw = MessagePortMain.take(port);
      openPorts.set(id, raw);
      raw.on('message', (data: unknown) => deliver({ op: 'port', id, value: backend.pack(data) }));
      raw.on('close', () => openPorts.delete(id) && deliver({ op: 'port-close', id }));
      raw.unref();
      return id;
    },
    receive({ op, id, value }: PageMessage): void {
      const port = openPorts.get(String(id));
      if (op === 'port') port?.postMessage(backend.unpack(value));
      else port?.close();
    },
    closeAll(): void {
      const ports = [...openPorts.values()];
      openPorts.clear();
      for (const port of ports) port.close();
    },
  };
}

function createMainFrame(
  host: ContentsHost,
  current: { readonly url: string },
  post: (channel: string, message: unknown, transfer?: MessagePortMain[]) => void,
) {
  return strict('mainFrame', {
    parent: null,
    get url(): string {
      return current.url;
    },
    isDestroyed: (): boolean => host.isDestroyed(),
    postMessage: post,
  });
}

/** Calls the handler for an `ipcRenderer.invoke` and sends its answer, or the refusal in Electron's words. */
async function answer(shared: ContentsShared, deliver: Deliver, event: object, message: PageMessage): Promise<void> {
  const { backend, handlers } = shared;
  try {
    const handler = handlers.get(String(message.channel));
    if (!handler) throw new Error(`No handler registered for '${message.channel}'`);
    const result = await handler(event, ...(backend.unpack(message.value) as unknown[]));
    deliver({ op: 'result', id: message.id, ok: true, value: packAnswer(backend, result) });
  } catch (error) {
    deliver({ op: 'result', id: message.id, ok: false, message: String(error) });
  }
}

function packAnswer(backend: Backend, result: unknown): unknown {
  try {
    return backend.pack(result);
  } catch {
    throw new Error('An object could not be cloned.');
  }
}

function printOptions({ pageSize, printBackground = false, generateTaggedPDF = false, ...others }: PrintToPDFOptions) {
  if (pageSize !== 'A4' || Object.keys(others).length > 0)
    throw new Error('electron stand-in: of printing only A4, backgrounds and tags are modelled');
  return { width: 8.27, height: 11.69, background: printBackground, isTagged: generateTaggedPDF };
}

/** `webContents` of one window, and the sink that its page reports to. */
export function createWebContents(shared: ContentsShared, host: ContentsHost) {
  const { backend, ipcMain } = shared;
  const current = { url: '', targetId: '' };
  const events = new EventEmitter();
  const withPage = (use: (page: Page) => unknown): void =>
    void host
      .page()
      .then(use)
      .catch(() => undefined);
  const deliver: Deliver = (message) => withPage((page) => host.isDestroyed() || page.deliver(message));
  const ports = createPortTable(backend, deliver);
  let windowOpen: WindowOpenHandler = () => ({ action: 'allow' });
  const post = (channel: string, message: unknown, transfer: MessagePortMain[] = []): void => {
    const value = backend.pack([message]);
    deliver({ op: 'event', channel, value, ports: transfer.map((port) => ports.adopt(port)) });
  };
  const mainFrame = createMainFrame(host, current, post);
  const members = {
    id: host.id,
    mainFrame,
    getURL: (): string => current.url,
    getTitle: (): string => host.getTitle(),
    getType: (): 'window' => 'window',
    isDestroyed: (): boolean => host.isDestroyed(),
    postMessage: post,
    setWindowOpenHandler: (handler: WindowOpenHandler): void => {
      windowOpen = handler;
    },
    setWebRTCIPHandlingPolicy: (policy: string): void => {
      rtc.policy = policy;
    },
    getWebRTCIPHandlingPolicy: (): string => rtc.policy,
    executeJavaScript: async (script: string): Promise<unknown> => (await host.page()).evaluate(script),
    printToPDF: async (options: PrintToPDFOptions): Promise<Buffer> =>
      Buffer.from(await (await host.page()).print(printOptions(options))),
    reload: (): void => void host.loadURL(current.url).catch(() => undefined),
    forcefullyCrashRenderer: (): void => withPage((page) => page.crash()),
    close: (): void => host.close(),
  };
  const rtc = { policy: 'default' };
  const contents = strict('webContents', Object.assign(events, members));
  const event = () => preventable({ sender: contents, senderFrame: mainFrame, ports: [] });
  const sink: Omit<PageSink, 'onLoaded' | 'onClosed'> = {
    onMessage: (message) => {
      if (message.op === 'invoke') void answer(shared, deliver, event(), message);
      else if (message.op === 'send')
        ipcMain.emit(String(message.channel), event(), ...(backend.unpack(message.value) as unknown[]));
      else ports.receive(message);
    },
    onDocumentGone: () => ports.closeAll(),
    onNavigated: (url) => {
      current.url = url;
      contents.emit('did-navigate', {}, url, 200, 'OK');
    },
    onWillNavigate: (url) => {
      const details = { url, isMainFrame: true, isSameDocument: false, frame: mainFrame, initiator: mainFrame };
      const wanted = preventable(details);
      contents.emit('will-frame-navigate', wanted);
      contents.emit('will-navigate', wanted, url);
      return !wanted.defaultPrevented;
    },
    onWindowOpen: (url) => {
      if (windowOpen({ url }).action === 'allow') shared.onWindowAllowed(url);
    },
    onCrashed: () => {
      ports.closeAll();
      contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 });
    },
  };
  return { contents, sink, current };
}

export type WebContentsDouble = ReturnType<typeof createWebContents>['contents'];
