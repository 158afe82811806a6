import { EventEmitter } from 'node:events';
import type { CustomScheme, Session as ElectronSession, Privileges } from 'electron';
import type { Serve } from './backend.ts';
import { strict } from './strict.ts';

type ProtocolHandler = (request: Request) => Response | Promise<Response>;
type PermissionRequestHandler = Parameters<ElectronSession['setPermissionRequestHandler']>[0];
type PermissionCheckHandler = Parameters<ElectronSession['setPermissionCheckHandler']>[0];
type DevicePermissionHandler = Parameters<ElectronSession['setDevicePermissionHandler']>[0];
type DisplayMediaHandler = Parameters<ElectronSession['setDisplayMediaRequestHandler']>[0];

/** What main decided; the tests put the questions that Chromium would put. */
export interface Policy {
  permissionRequest: PermissionRequestHandler;
  permissionCheck: PermissionCheckHandler;
  devicePermission: DevicePermissionHandler;
  displayMedia: DisplayMediaHandler;
}

function createProtocol(isReady: () => boolean) {
  const privileged = new Map<string, Privileges>();
  const handlers = new Map<string, ProtocolHandler>();
  const protocol = strict('protocol', {
    registerSchemesAsPrivileged: (schemes: CustomScheme[]): void => {
      if (isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
      privileged.clear();
      for (const { scheme, privileges } of schemes) privileged.set(scheme, privileges ?? {});
    },
    handle: (scheme: string, handler: ProtocolHandler): void => {
      if (!isReady()) throw new Error('protocol.handle() can only be called after app is ready');
      if (handlers.has(scheme)) throw new Error(`The scheme '${scheme}' is handled already`);
      handlers.set(scheme, handler);
    },
    isProtocolHandled: (scheme: string): boolean => handlers.has(scheme),
  });
  const serve: Serve = async (url, method) => {
    const handler = handlers.get(new URL(url).protocol.slice(0, -1));
    return handler ? await handler(new Request(url, { method })) : new Response('no handler', { status: 502 });
  };
  return { protocol, privileged, serve };
}

function createOne(name: string, protocol: object) {
  const policy: Policy = { permissionRequest: null, permissionCheck: null, devicePermission: null, displayMedia: null };
  const session = strict(
    name,
    Object.assign(new EventEmitter(), {
      protocol,
      setPermissionRequestHandler: (handler: PermissionRequestHandler): void => {
        policy.permissionRequest = handler;
      },
      setPermissionCheckHandler: (handler: PermissionCheckHandler): void => {
        policy.permissionCheck = handler;
      },
      setDevicePermissionHandler: (handler: DevicePermissionHandler): void => {
        policy.devicePermission = handler;
      },
      setDisplayMediaRequestHandler: (handler: DisplayMediaHandler): void => {
        policy.displayMedia = handler;
      },
    }),
  );
  return { session, policy };
}

/** `protocol` and `session`: the default session, whose policy the tests can question, and those of partitions. */
export function createSession(isReady: () => boolean) {
  const { protocol, privileged, serve } = createProtocol(isReady);
  const { session: defaultSession, policy } = createOne('session.defaultSession', protocol);
  const partitions = new Map<string, ReturnType<typeof createOne>['session']>();
  /** What answers the addresses of a partition: its own handlers, and nobody else's. */
  const serving = new WeakMap<object, Serve>();
  const assertReady = (): void => {
    if (!isReady()) throw new Error('Session can only be received when app is ready');
  };
  const session = strict('session', {
    get defaultSession() {
      assertReady();
      return defaultSession;
    },
    fromPartition: (name: string) => {
      assertReady();
      if (name.startsWith('persist:')) throw new Error('electron stand-in: partitions that last are not modelled');
      const known = partitions.get(name);
      if (known) return known;
      const own = createProtocol(isReady);
      const made = createOne(`session of ${name}`, own.protocol).session;
      partitions.set(name, made);
      serving.set(made, own.serve);
      return made;
    },
  });
  return { protocol, privileged, serve, policy, session, defaultSession, serving };
}

export type Sessions = ReturnType<typeof createSession>;
