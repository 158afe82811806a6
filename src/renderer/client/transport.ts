import type { ClientLink } from '@orpc/client';
import { RPCLink as MessagePortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import {
  DESKTOP_PORT_MESSAGE,
  type DesktopBridge,
  WEB_SOCKET_PATH,
  wireSerializers,
} from '../../model/contract/wire.ts';
import { desktopBridge } from './bridge.ts';

type NoContext = Record<never, never>;
export type Link = Pick<ClientLink<NoContext>, 'call'>;

/** The same calls over Electron's bridge or a WebSocket. */
export async function connect(onLost: () => void): Promise<Link> {
  const bridge = desktopBridge();
  return bridge ? connectDesktop(bridge) : connectWeb(window.location, onLost);
}

function connectDesktop(bridge: DesktopBridge): Promise<Link> {
  return new Promise((resolve) => {
    const receive = (event: MessageEvent<{ readonly type?: string } | null>) => {
      const port = event.ports[0];
      if (event.data?.type !== DESKTOP_PORT_MESSAGE || !port) return;
      window.removeEventListener('message', receive);
      const link = new MessagePortLink<NoContext>({ port, customJsonSerializers: wireSerializers });
      port.start();
      resolve(link);
    };
    window.addEventListener('message', receive);
    bridge.connect();
  });
}

/** The launch token in the address, if the host set one, goes with every request. */
export function webAddress(location: Pick<Location, 'protocol' | 'host' | 'search'>, path: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${location.host}${path}${location.search}`;
}

/** The next call reopens a lost socket, so a view only has to offer "retry". */
function connectWeb(location: Location, onLost: () => void): Link {
  let current: { readonly socket: WebSocket; readonly link: Link } | undefined;
  const live = (): Link => {
    if (!current || current.socket.readyState > WebSocket.OPEN) {
      const socket = new WebSocket(webAddress(location, WEB_SOCKET_PATH));
      // Report it at once: a page that only looks alive misleads.
      socket.addEventListener('close', () => onLost());
      current = {
        socket,
        link: new SocketLink<NoContext>({ websocket: socket, customJsonSerializers: wireSerializers }),
      };
    }
    return current.link;
  };
  return { call: (path, input, options) => live().call(path, input, options) };
}
