import type { MainMessage, PageMessage } from '../backend.ts';
import type { Codec } from '../clone.ts';
import type { Bridge } from './bridge.ts';

type Listener = (event: unknown, ...args: unknown[]) => void;
type PackCodec = { pack(value: unknown): unknown; unpack(value: unknown): unknown } | Codec;

export interface PreloadHostOptions {
  readonly codec: PackCodec;
  readonly bridge: Bridge;
  readonly contextIsolation: boolean;
  send(message: PageMessage): void;
  onMessage(receive: (message: MainMessage) => void): void;
  getPathForFile(file: unknown): string;
}

/** What a sandboxed preload can reach. */
export interface PreloadScope {
  require(id: string): unknown;
  readonly process: object;
}

/** Runs before the preload, in its world: `require` and `process` as Electron's sandbox has them. Self-contained. */
export function preloadHost(options: PreloadHostOptions, makeRenderer: typeof makeIpcRenderer): PreloadScope {
  const { bridge, contextIsolation } = options;
  const exposed = new Set<string>();
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown): void {
      if (!contextIsolation) throw new Error('contextBridge API can only be used when contextIsolation is enabled');
      if (exposed.has(key)) throw new Error('Cannot bind an API on top of an existing property on the window object');
      exposed.add(key);
      bridge.expose(key, api);
    },
  };
  const webUtils = { getPathForFile: (file: unknown): string => options.getPathForFile(file) };
  const modules: Record<string, unknown> = {
    electron: { contextBridge, ipcRenderer: makeRenderer(options), webUtils },
  };
  return {
    require: (id) => {
      if (Object.hasOwn(modules, id)) return modules[id];
      throw new Error(`module not found: ${id}`);
    },
    process: { type: 'renderer', sandboxed: true, contextIsolated: true, env: {} },
  };
}

/** `ipcRenderer`, with the ports that arrive through it. Self-contained. */
export function makeIpcRenderer({ codec, send, onMessage }: PreloadHostOptions) {
  const listeners = new Map<string, Listener[]>();
  const waiting = new Map<unknown, { resolve(value: unknown): void; reject(error: Error): void; channel: string }>();
  const ports = new Map<unknown, MessagePort>();
  // Answers may outlive a document: its numbers must not be those of the next one.
  const document = Math.random().toString(36).slice(2);
  let next = 0;
  const adopt = (id: string): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    ports.set(id, port1);
    port1.onmessage = (event: MessageEvent<unknown>) => send({ op: 'port', id, value: codec.pack(event.data) });
    port1.addEventListener('close', () => ports.delete(id) && send({ op: 'port-close', id }));
    return port2;
  };
  const unpack = (value: unknown): unknown => (codec.unpack as (value: unknown) => unknown)(value);
  const handle: Record<MainMessage['op'], (message: MainMessage) => void> = {
    event: ({ channel, value, ports: ids = [] }) => {
      const event = { sender: ipcRenderer, ports: ids.map(adopt) };
      for (const listener of [...(listeners.get(String(channel)) ?? [])])
        listener(event, ...(unpack(value) as unknown[]));
    },
    result: ({ id, ok, value, message }) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (ok) call?.resolve(unpack(value));
      else call?.reject(new Error(`Error invoking remote method '${call.channel}': ${message}`));
    },
    port: ({ id, value }) => ports.get(id)?.postMessage(unpack(value)),
    'port-close': ({ id }) => {
      const port = ports.get(id);
      ports.delete(id);
      port?.close();
    },
  };
  onMessage((message) => handle[message.op](message));
  const ipcRenderer = {
    on(channel: string, listener: Listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return ipcRenderer;
    },
    send: (channel: string, ...args: unknown[]): void => send({ op: 'send', channel, value: codec.pack(args) }),
    invoke: async (channel: string, ...args: unknown[]): Promise<unknown> => {
      const id = `${document}-${next++}`;
      const value = codec.pack(args);
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject, channel });
        send({ op: 'invoke', id, channel, value });
      });
    },
  };
  return ipcRenderer;
}

/** Both functions as text; the page calls `preloadHost(options, makeIpcRenderer)`. */
export const preloadHostSource = `const makeIpcRenderer = ${makeIpcRenderer.toString()};\nconst preloadHost = ${preloadHost.toString()};`;
