import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AddressBook, createAddressBook } from './address.ts';
import type { Backend, Serve } from './backend.ts';
import { Cdp } from './cdp.ts';
import { openChromiumPage } from './chromium-page.ts';
import { type ChromiumProcess, startChromium } from './chromium-process.ts';
import { codec } from './clone.ts';

export interface ChromiumOptions {
  readonly executable: string;
  readonly headed: boolean;
  /** The privileged schemes, known once main has registered them. */
  schemes(): Iterable<string>;
  onEndpoint(url: string): void;
}

async function reply(response: ServerResponse, url: string, method: string, serve: Serve): Promise<void> {
  if (url.startsWith('http:')) {
    response.writeHead(421).end();
    return;
  }
  const answer = await serve(url, method);
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
}

/** Hands what Chromium asks for over to the `protocol` handlers of main. */
async function startServer(addresses: () => AddressBook, serve: Serve): Promise<Server> {
  const server = createServer((request, response) => {
    const url = addresses().fromWeb(`http://${request.headers.host}${request.url}`);
    reply(response, url, request.method ?? 'GET', serve).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return server;
}

/** Shows the windows in a real Chromium; a preload runs in a real isolated world. */
export function createChromiumBackend(options: ChromiumOptions): Backend {
  let running: { readonly cdp: Cdp; readonly process: ChromiumProcess; readonly server: Server } | undefined;
  const port = (): number => (running?.server.address() as AddressInfo | undefined)?.port ?? 0;
  const addresses = createAddressBook(options.schemes, port);
  /** By target; called when the target, or all of Chromium, has ended. */
  const closers = new Map<string, () => void>();
  const closed = (targetId: string): void => {
    const close = closers.get(targetId);
    closers.delete(targetId);
    close?.();
  };
  return {
    pack: codec.pack,
    unpack: (value) => codec.unpack(String(value)),
    start: async ({ noSandbox, serve }) => {
      const server = await startServer(() => addresses, serve);
      const process = await startChromium({ executable: options.executable, headed: options.headed, noSandbox });
      const cdp = await Cdp.open(process.endpoint);
      running = { cdp, process, server };
      process.onExit(() => [...closers.keys()].forEach(closed));
      cdp.on('', (method, params) => method === 'Target.targetDestroyed' && closed(String(params.targetId)));
      await cdp.send('Target.setDiscoverTargets', { discover: true });
      options.onEndpoint(process.endpoint);
    },
    open: async (page, sink) => {
      if (!running) throw new Error('electron stand-in: Chromium is not running');
      const opened = await openChromiumPage(running.cdp, addresses, page, sink);
      closers.set(opened.targetId, opened.onClosed);
      return opened;
    },
    stop: async () => {
      if (!running) return;
      const { cdp, process, server } = running;
      server.close();
      server.closeAllConnections();
      cdp.send('Browser.close').catch(() => undefined);
      await process.end();
    },
  };
}
