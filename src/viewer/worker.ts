import { RPCHandler } from '@orpc/server/message-port';
import packageJson from '../../package.json' with { type: 'json' };
import { wireSerializers } from '../model/contract/index.ts';
import { createRoutes, newWindow } from '../wire/rpc.ts';
import { openBrowserEngine } from './browser-engine.ts';
import { createViewer, type Viewer } from './viewer-core.ts';
import type { WorkerAnswer, WorkerMessage } from './worker-messages.ts';

const viewer: Viewer = createViewer({ openEngine: openBrowserEngine, version: packageJson.version });
const handler = new RPCHandler(createRoutes(viewer.api), { customJsonSerializers: [...wireSerializers] });

self.addEventListener('message', ({ data, ports: [port] }: MessageEvent<WorkerMessage>) => {
  if (!port) return;
  if (data.kind === 'connect') {
    handler.upgrade(port, newWindow());
    port.start();
    return;
  }
  port.postMessage(answer(data));
});

function answer(message: Exclude<WorkerMessage, { kind: 'connect' }>): WorkerAnswer {
  try {
    if (message.kind === 'adopt') return { kind: 'handle', handle: viewer.files.adopt(message.name, message.file) };
    return { kind: 'file', file: viewer.files.get(message.handle).file };
  } catch (error) {
    return { kind: 'problem', message: error instanceof Error ? error.message : String(error) };
  }
}
