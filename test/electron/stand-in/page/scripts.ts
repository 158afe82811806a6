import { readFileSync } from 'node:fs';
import type { OpenOptions } from '../backend.ts';
import { codecSource } from '../clone.ts';
import { bridgeSource } from './bridge.ts';
import { preloadHostSource } from './preload-host.ts';

/** The world that a preload runs in, and the names by which it and Node reach each other. */
export const WORLD = 'Electron Isolated Context';
export const BINDING = '__standInSend';
export const RECEIVE = '__standInReceive';
export const READ_FILE = '__standInFile';
/** Stands for a file's path until Node replaces it; ends in `;`. */
export const FILE_TOKEN = 'stand-in-file:';
const CHANNEL = 'electron-stand-in';

/** A window that Electron would never create must not be created here either: main is asked, the page gets null. */
export const mainWorldScript = (): string => `if (window === window.top) (() => {
  ${bridgeSource}
  makeBridge('page', '${CHANNEL}', makePacking);
  const ask = (url) => window.dispatchEvent(new CustomEvent('${CHANNEL}:window-open', { detail: new URL(url || 'about:blank', document.baseURI).href }));
  window.open = (url) => { ask(url); return null; };
  window.addEventListener('click', (event) => {
    const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    if (!anchor || !anchor.href || !(anchor.target === '_blank' || event.ctrlKey || event.metaKey || event.button === 1)) return;
    event.preventDefault();
    ask(anchor.href);
  }, true);
})();`;

/** Gives the preload its scope and runs it, in the top frame of every document of the app. */
export function isolatedWorldScript({ preload, contextIsolation }: OpenOptions): string {
  const code = preload === undefined ? '' : readFileSync(preload, 'utf8');
  return `if (window === window.top && location.href !== 'about:blank') (() => {
  ${bridgeSource}
  ${preloadHostSource}
  const send = (message) => ${BINDING}(JSON.stringify(message));
  const files = [];
  globalThis.${READ_FILE} = (index) => files[index];
  const options = {
    codec: ${codecSource},
    bridge: makeBridge('preload', '${CHANNEL}', makePacking),
    contextIsolation: ${contextIsolation},
    send,
    onMessage: (receive) => { globalThis.${RECEIVE} = receive; },
    getPathForFile: (file) => {
      if (!(file instanceof File)) throw new TypeError('The provided value is not of type File.');
      return '${FILE_TOKEN}' + (files.push(file) - 1) + ';';
    },
  };
  const scope = preloadHost(options, makeIpcRenderer);
  window.addEventListener('${CHANNEL}:window-open', (event) => send({ op: 'window-open', url: String(event.detail) }));
  send({ op: 'hello' });
  const module = { exports: {} };
  (function (require, process, module, exports) { ${code}
  })(scope.require, scope.process, module, module.exports);
})();`;
}
