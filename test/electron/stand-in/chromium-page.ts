import type { AddressBook } from './address.ts';
import type { MainMessage, OpenOptions, Page, PageMessage, PageSink, PrintOptions } from './backend.ts';
import type { Cdp, Json } from './cdp.ts';
import {
  BINDING,
  FILE_TOKEN,
  isolatedWorldScript,
  mainWorldScript,
  READ_FILE,
  RECEIVE,
  WORLD,
} from './page/scripts.ts';

type Send = (method: string, params?: Json) => Promise<Json>;
type FromPage = PageMessage | { readonly op: 'hello' } | { readonly op: 'window-open'; readonly url: string };

/** The isolated world of the current document, and what waits until it is there. */
function createWorld(send: Send) {
  let context: number | undefined;
  let queue: string[] = [];
  const flush = (): void => {
    if (context === undefined) return;
    for (const text of queue.splice(0))
      send('Runtime.evaluate', { expression: `${RECEIVE}(${text})`, contextId: context }).catch(() => undefined);
  };
  return {
    get context() {
      return context;
    },
    hello: (id: number): void => {
      context = id;
      flush();
    },
    gone: (): void => {
      context = undefined;
      queue = [];
    },
    deliver: (message: MainMessage): void => {
      queue.push(JSON.stringify(message));
      flush();
    },
  };
}

/** The path behind a File of the page: '' when it is not a file on disk, as in Electron. */
async function readPath(send: Send, context: number | undefined, index: string): Promise<string> {
  try {
    const found = await send('Runtime.evaluate', { expression: `${READ_FILE}(${index})`, contextId: context });
    const { objectId } = found.result as Json;
    return String((await send('DOM.getFileInfo', { objectId })).path);
  } catch {
    return '';
  }
}

/**
 * `webUtils.getPathForFile` answers at once, but only Chromium knows the path and a page cannot wait for it. So the
 * preload gets a token, and the token becomes the path here, before main sees the message.
 */
async function resolvePaths(send: Send, context: number | undefined, message: PageMessage): Promise<PageMessage> {
  if (typeof message.value !== 'string' || !message.value.includes(FILE_TOKEN)) return message;
  let value = message.value;
  for (const [token, index = ''] of message.value.matchAll(new RegExp(`${FILE_TOKEN}(\\d+);`, 'g'))) {
    const path = await readPath(send, context, index);
    value = value.replaceAll(token, () => JSON.stringify(path).slice(1, -1));
  }
  return { ...message, value };
}

interface PageState {
  readonly serve: OpenOptions['serve'];
  readonly send: Send;
  readonly sink: PageSink;
  readonly addresses: AddressBook;
  readonly targetId: string;
  readonly world: ReturnType<typeof createWorld>;
  /** Frame of each execution context: only the top frame has a preload. */
  readonly frames: Map<unknown, unknown>;
  /** The address main itself asked for: no `will-navigate` for it. */
  expected: string;
  /** Of the address that main asked for last. */
  loaded: PromiseWithResolvers<void>;
  /** Messages reach main in the order in which the page sent them. */
  inbox: Promise<void>;
}

function fromPage(state: PageState, context: number, payload: string): void {
  const { world, sink, addresses, send } = state;
  if (state.frames.get(context) !== state.targetId) return;
  const message = JSON.parse(payload) as FromPage;
  if (message.op === 'hello') world.hello(context);
  else if (message.op === 'window-open') sink.onWindowOpen(addresses.fromWeb(message.url));
  else {
    state.inbox = state.inbox.then(async () => sink.onMessage(await resolvePaths(send, context, message)));
  }
}

/** What a session of its own answers; everything else it is asked for, it does not reach. */
async function serveOwn({ addresses, serve, send }: PageState, { requestId, request }: Json): Promise<void> {
  const url = addresses.fromWeb(String((request as Json).url));
  const answer = serve && !url.startsWith('http') ? await serve(url, 'GET') : null;
  if (!answer) return void (await send('Fetch.failRequest', { requestId, errorReason: 'Failed' }));
  const responseHeaders = [...answer.headers].map(([name, value]) => ({ name, value }));
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  await send('Fetch.fulfillRequest', { requestId, responseCode: answer.status, responseHeaders, body });
}

function decideRequest(state: PageState, params: Json): void {
  const { sink, addresses, send } = state;
  if (state.serve) return void serveOwn(state, params).catch(() => undefined);
  const url = String((params.request as Json).url);
  const isMain = params.frameId === state.targetId;
  const isExpected = url.split('#')[0] === state.expected.split('#')[0];
  const go = (isMain && isExpected) || sink.onWillNavigate(addresses.fromWeb(url));
  const { requestId } = params;
  const decision = go
    ? send('Fetch.continueRequest', { requestId })
    : send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  decision.catch(() => undefined);
}

/** Events of Chromium, as Electron emits them. */
const reports: Record<string, (state: PageState, params: Json) => void> = {
  'Runtime.executionContextCreated': ({ frames }, { context }) => {
    const { id, auxData } = context as Json;
    frames.set(id, (auxData as Json | undefined)?.frameId);
  },
  'Runtime.executionContextsCleared': ({ frames, world, sink }) => {
    frames.clear();
    world.gone();
    sink.onDocumentGone();
  },
  'Runtime.bindingCalled': (state, { name, executionContextId, payload }) => {
    if (name === BINDING) fromPage(state, Number(executionContextId), String(payload));
  },
  'Page.frameNavigated': ({ sink, addresses, targetId }, { frame }) => {
    const { id, url } = frame as Json;
    if (id === targetId) sink.onNavigated(addresses.fromWeb(String(url)));
  },
  'Page.loadEventFired': ({ expected, sink, loaded }) => {
    if (expected === '') return;
    loaded.resolve();
    sink.onLoaded();
  },
  'Inspector.targetCrashed': ({ world, sink, loaded }) => {
    world.gone();
    loaded.resolve();
    sink.onCrashed();
  },
  'Fetch.requestPaused': decideRequest,
};

async function prepare(send: Send, options: OpenOptions): Promise<void> {
  const documents = { patterns: [{ ...(options.serve ? {} : { resourceType: 'Document' }), requestStage: 'Request' }] };
  if (!options.javascript) {
    await Promise.all([send('Page.enable'), send('Fetch.enable', documents)]);
    await send('Emulation.setScriptExecutionDisabled', { value: true });
    return;
  }
  await Promise.all([
    send('Page.enable'),
    send('Runtime.enable'),
    send('Inspector.enable'),
    send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD }),
    send('Fetch.enable', documents),
    // The page's world listens first; then the preload, in its own world, exposes into it; then the page's scripts run.
    send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldScript() }),
    send('Page.addScriptToEvaluateOnNewDocument', { worldName: WORLD, source: isolatedWorldScript(options) }),
  ]);
}

export interface ChromiumPage extends Page {
  onClosed(): void;
}

/** Opens one window of Chromium and wires it to `sink`. */
export async function openChromiumPage(
  cdp: Cdp,
  addresses: AddressBook,
  options: OpenOptions,
  sink: PageSink,
): Promise<ChromiumPage> {
  const { width, height, serve } = options;
  const context = serve ? await cdp.send('Target.createBrowserContext', { disposeOnDetach: true }) : {};
  const wanted = { url: 'about:blank', newWindow: true, width, height, ...context };
  const { targetId } = await cdp.send('Target.createTarget', wanted);
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true });
  const send: Send = (method, params = {}) => cdp.send(method, params, String(sessionId));
  const world = createWorld(send);
  const state: PageState = {
    send,
    sink,
    addresses,
    world,
    targetId: String(targetId),
    frames: new Map(),
    serve,
    expected: '',
    loaded: Promise.withResolvers(),
    inbox: Promise.resolve(),
  };
  cdp.on(String(sessionId), (method, params) => reports[method]?.(state, params));
  await prepare(send, options);
  return {
    targetId: String(targetId),
    navigate: async (url) => {
      state.expected = addresses.toWeb(url);
      const loaded = Promise.withResolvers<void>();
      state.loaded.resolve();
      state.loaded = loaded;
      const { errorText } = await send('Page.navigate', { url: state.expected });
      if (errorText) throw new Error(`${String(errorText)} loading '${url}'`);
      await loaded.promise;
    },
    deliver: world.deliver,
    evaluate: async (expression) => {
      const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      return (answer.result as Json).value;
    },
    print: async ({ width: paperWidth, height: paperHeight, background, isTagged }: PrintOptions) => {
      const options = { paperWidth, paperHeight, printBackground: background, generateTaggedPDF: isTagged };
      return Buffer.from(String((await send('Page.printToPDF', options)).data), 'base64');
    },
    crash: () => void send('Page.crash').catch(() => undefined),
    close: async () => void (await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined)),
    onClosed: () => {
      state.loaded.resolve();
      cdp.off(String(sessionId));
      sink.onClosed();
    },
  };
}
