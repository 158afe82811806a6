import { DESKTOP_PORT_MESSAGE, type DesktopBridge } from '../model/contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import { linkedBundle } from './linked-bundle.ts';
import workerModule from './worker.ts?worker&url';
import type { WorkerAnswer, WorkerMessage } from './worker-messages.ts';

/**
 * From a `blob:`, because such a worker is under the content security policy of this page. A worker from a URL would be under the
 * headers of its own response; static hosting sends none, so the worker could reach any origin. Messages that the page sends
 * before the module is loaded are kept for it.
 */
function startWorker(): Worker {
  const address = JSON.stringify(new URL(workerModule, import.meta.url).href);
  const source = `const early = [];
const keep = (event) => early.push(event);
addEventListener('message', keep);
import(${address}).then(() => {
  removeEventListener('message', keep);
  for (const { data, ports } of early) dispatchEvent(new MessageEvent('message', { data, ports }));
});`;
  const blob = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return new Worker(blob, { type: 'module', name: 'faultline' });
}

const worker = startWorker();

function callWorker(message: WorkerMessage): Promise<WorkerAnswer> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    port1.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      port1.close();
      if (data.kind === 'problem') reject(new ProblemError({ code: 'viewer.file', message: data.message }));
      else resolve(data);
    };
    worker.postMessage(message, [port2]);
  });
}

const bridge: DesktopBridge = {
  connect: () => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ kind: 'connect' } satisfies WorkerMessage, [port2]);
    window.postMessage({ type: DESKTOP_PORT_MESSAGE }, window.origin, [port1]);
  },
  adoptFile: async (file) => {
    const answer = await callWorker({ kind: 'adopt', name: (file as File).name, file: file as File });
    if (answer.kind !== 'handle') throw new Error('bug: a file was answered with no handle');
    return answer.handle;
  },
  fetchFile: async (handle) => {
    const answer = await callWorker({ kind: 'fetch', handle });
    if (answer.kind !== 'file') throw new Error('bug: a handle was answered with no file');
    return answer.file;
  },
  linkedBundle: () => linkedBundle(window.location),
};
Object.defineProperty(window, 'faultline', { value: Object.freeze(bridge) });

void import('../renderer/main.tsx');
