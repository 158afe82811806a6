import { readFileSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import type { Backend, MainMessage, OpenOptions, Page, PageMessage, PageSink, Serve } from './backend.ts';
import { bridgeSource } from './page/bridge.ts';
import { type PreloadScope, preloadHostSource } from './page/preload-host.ts';

/** What a preload finds in its world. */
export interface PreloadEnvironment extends PreloadScope {
  readonly window: FakeWindow;
}
export type RunPreload = (path: string, environment: PreloadEnvironment) => Promise<void> | void;

interface FakeEvent {
  readonly type: string;
  readonly detail?: unknown;
  readonly data?: unknown;
  readonly ports?: readonly unknown[];
  readonly origin?: string;
  stopImmediatePropagation(): void;
}
type Listener = (event: FakeEvent) => void;

/** As much of a window as the bridge and a preload use. */
export interface FakeWindow {
  [key: string]: unknown;
  readonly location: { readonly href: string; readonly origin: string };
  addEventListener(type: string, listener: Listener): void;
  removeEventListener(type: string, listener: Listener): void;
  dispatchEvent(event: { readonly type: string; readonly detail: unknown }): void;
  postMessage(data: unknown, targetOrigin: string, transfer?: readonly object[]): void;
}

export interface InProcessPage extends Page {
  /** The page's own global object; a new one for every document. */
  readonly world: FakeWindow;
  /** False when main forbids it. */
  navigateFromPage(url: string): boolean;
  open(url: string): void;
}

const CHANNEL = 'bridge';
class CustomEvent {
  readonly type: string;
  readonly detail: unknown;
  constructor(type: string, options: { readonly detail: unknown }) {
    this.type = type;
    this.detail = options.detail;
  }
}

/** Node cannot clone a File; a browser hands the other world a File of the same bytes and path. */
function cloneForOtherWorld(value: unknown): unknown {
  if (value instanceof Blob) return value;
  if (Array.isArray(value)) return value.map(cloneForOtherWorld);
  if (Object.prototype.toString.call(value) !== '[object Object]') return structuredClone(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, cloneForOtherWorld(item)]));
}

/** The two worlds of one document: separate global objects that share the document's events. */
function createWorlds(url: string) {
  const listeners = new Map<string, Listener[]>();
  const location = locationOf(url);
  const emit = (event: Omit<FakeEvent, 'stopImmediatePropagation'>): void => {
    for (const listener of [...(listeners.get(event.type) ?? [])])
      listener({ ...event, stopImmediatePropagation: () => undefined });
  };
  const makeWindow = (): FakeWindow => ({
    addEventListener: (type, listener) => void listeners.set(type, [...(listeners.get(type) ?? []), listener]),
    removeEventListener: (type, listener) =>
      void listeners.set(
        type,
        (listeners.get(type) ?? []).filter((known) => known !== listener),
      ),
    dispatchEvent: ({ type, detail }) => emit({ type, detail: cloneForOtherWorld(detail) }),
    postMessage: (data, targetOrigin, transfer = []) => {
      const sent = structuredClone({ data, ports: transfer }, { transfer: [...transfer] as Transferable[] });
      if (targetOrigin !== location.origin) return; // as a browser does: the message is dropped
      setImmediate(() => emit({ type: 'message', data: sent.data, ports: sent.ports, origin: location.origin }));
    },
    location,
  });
  return { page: makeWindow(), isolated: makeWindow() };
}

/** A standard scheme has an origin in Electron; Node's URL knows none for it. */
function locationOf(address: string): FakeWindow['location'] {
  const { href, protocol, host } = new URL(address);
  return { href, origin: host === '' ? 'null' : `${protocol}//${host}` };
}

/** Files that tests pretend the user dropped: only these have a path. */
export const filePaths = new WeakMap<object, string>();

function getPathForFile(file: unknown): string {
  if (!(file instanceof File)) throw new TypeError('The provided value is not of type File.');
  return filePaths.get(file) ?? '';
}

/** Runs source text with the given names as its globals. */
const runWith = (globals: Record<string, unknown>, source: string): unknown =>
  new Function(...Object.keys(globals), source)(...Object.values(globals));

interface Wiring {
  readonly preload: string | undefined;
  readonly contextIsolation: boolean;
  readonly makeChannel: unknown;
  readonly runPreload: RunPreload;
  send(message: PageMessage): void;
  onMessage(receive: (message: MainMessage) => void): void;
}

/** What happens in a fresh document before its own scripts. */
async function prepareDocument({ page, isolated }: ReturnType<typeof createWorlds>, wiring: Wiring): Promise<void> {
  const globals = { CustomEvent, MessageChannel: wiring.makeChannel, CHANNEL };
  const bridged = `${bridgeSource}\nreturn makeBridge(ROLE, CHANNEL, makePacking);`;
  runWith({ ...globals, window: page, ROLE: 'page' }, bridged);
  if (wiring.preload === undefined) return;
  const bridge = runWith({ ...globals, window: isolated, ROLE: 'preload' }, bridged);
  const codec = { pack: (value: unknown) => structuredClone(value), unpack: (value: unknown) => value };
  const { contextIsolation, send, onMessage } = wiring;
  const options = { codec, bridge, contextIsolation, send, onMessage, getPathForFile };
  const host = `${preloadHostSource}\nreturn preloadHost(options, makeIpcRenderer);`;
  const scope = runWith({ ...globals, window: isolated, options }, host) as PreloadScope;
  await wiring.runPreload(wiring.preload, { require: scope.require, process: scope.process, window: isolated });
}

/** A page without a browser: the same bridge and IPC, in this process. For contract tests. */
function createPage(options: OpenOptions, sink: PageSink, serve: Serve, runPreload: RunPreload): InProcessPage {
  let worlds = createWorlds('about:blank');
  const ports: { close(): void }[] = [];
  const state = { closed: false, crashed: false, receive: (_message: MainMessage): void => undefined };
  class TrackedChannel extends MessageChannel {
    constructor() {
      super();
      ports.push(this.port1, this.port2);
    }
  }
  const dropDocument = (): void => {
    for (const port of ports.splice(0)) port.close();
    sink.onDocumentGone();
  };
  return {
    targetId: `in-process-${Math.random()}`,
    get world() {
      return worlds.page;
    },
    navigate: async (url) => {
      const response = await serve(url, 'GET');
      if (state.closed) return;
      dropDocument();
      state.crashed = false;
      worlds = createWorlds(url);
      sink.onNavigated(url);
      const { preload, contextIsolation } = options;
      await prepareDocument(worlds, {
        preload,
        contextIsolation,
        makeChannel: TrackedChannel,
        runPreload,
        send: (message) => void setImmediate(() => state.closed || state.crashed || sink.onMessage(message)),
        onMessage: (receive) => {
          state.receive = receive as typeof state.receive;
        },
      });
      sink.onLoaded();
      if (!response.ok) throw new Error(`ERR_FAILED (${response.status}) loading '${url}'`);
    },
    deliver: (message) => void setImmediate(() => state.closed || state.crashed || state.receive(message)),
    evaluate: () => Promise.reject(new Error('electron stand-in: no scripts without a browser')),
    print: () => Promise.reject(new Error('electron stand-in: nothing is printed without a browser')),
    crash: () => {
      state.crashed = true;
      dropDocument();
      sink.onCrashed();
    },
    close: async () => {
      if (state.closed) return;
      state.closed = true;
      for (const port of ports) port.close();
      setImmediate(() => sink.onClosed());
    },
    navigateFromPage: (url) => sink.onWillNavigate(url),
    open: (url) => sink.onWindowOpen(url),
  };
}

export function createInProcessBackend(runPreload: RunPreload): {
  readonly backend: Backend;
  readonly pages: InProcessPage[];
} {
  const pages: InProcessPage[] = [];
  let serve: Serve = () => Promise.reject(new Error('not started'));
  const backend: Backend = {
    pack: (value) => structuredClone(value),
    unpack: (value) => value,
    start: async (options) => {
      serve = options.serve;
    },
    open: async (options, sink) => {
      const page = createPage(options, sink, (url, method) => (options.serve ?? serve)(url, method), runPreload);
      pages.push(page);
      return page;
    },
    stop: async () => {
      for (const page of pages) await page.close();
    },
  };
  return { backend, pages };
}

/** Runs a built preload the way the sandbox does: as text, with only the sandbox's `require`. */
export function runBuiltPreload(path: string, { require, process, window }: PreloadEnvironment): void {
  const module = { exports: {} };
  runWith(
    { require, process, module, exports: module.exports, window, globalThis: window },
    readFileSync(path, 'utf8'),
  );
}
