import { EventEmitter } from 'node:events';
import { strict } from './strict.ts';

export type InvokeHandler = (event: unknown, ...args: unknown[]) => unknown;

/** `ipcMain`: one handler per channel, as in Electron; the tests may call the handlers with hostile events. */
export function createIpcMain() {
  const handlers = new Map<string, InvokeHandler>();
  const ipcMain = strict(
    'ipcMain',
    Object.assign(new EventEmitter(), {
      handle: (channel: string, handler: InvokeHandler): void => {
        if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
        handlers.set(channel, handler);
      },
      removeHandler: (channel: string): void => void handlers.delete(channel),
    }),
  );
  return { ipcMain, handlers };
}
