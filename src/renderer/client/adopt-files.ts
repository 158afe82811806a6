import type { FileHandle } from '../../model/contract/case.ts';
import { WEB_UPLOAD_PATH } from '../../model/contract/wire.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import { desktopBridge } from './bridge.ts';
import type { DroppedFile } from './dropped-files.ts';
import { messages } from './messages.ts';
import { isProblem } from './problem-of.ts';

export interface AdoptProgress {
  readonly file: string;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** Turns dropped files into handles: by path on the desktop, by upload to the loopback host in a browser. */
export async function adoptFiles(
  files: readonly DroppedFile[],
  onProgress: (progress: AdoptProgress) => void,
  signal: AbortSignal,
): Promise<readonly FileHandle[]> {
  const bridge = desktopBridge();
  const bytesTotal = files.reduce((sum, { file }) => sum + file.size, 0);
  const group = crypto.randomUUID();
  // Files of one folder share the handle of the folder.
  const handles = new Map<string, FileHandle>();
  let before = 0;
  for (const [index, { file, path }] of files.entries()) {
    signal.throwIfAborted();
    const report = (loaded: number) => onProgress({ file: file.name, bytesDone: before + loaded, bytesTotal });
    report(0);
    const address = uploadAddress(window.location.search, file, path === null ? null : { group, path });
    const handle = bridge ? await bridge.adoptFile(file) : await upload(file, address, report, signal);
    handles.set(path === null ? `file ${index}` : `folder ${path.split('/')[0]}`, handle);
    before += file.size;
  }
  return [...handles.values()];
}

/** Upload address of a file; `within` is its folder and path in a dropped folder. */
export function uploadAddress(
  search: string,
  { name, lastModified }: Pick<File, 'name' | 'lastModified'>,
  within: { readonly group: string; readonly path: string } | null,
): string {
  const parameters = new URLSearchParams(search);
  parameters.set('name', name);
  // Without it the copy would have the time of the upload, which is the fallback for files without recorded times.
  parameters.set('modified', String(lastModified));
  if (within) {
    parameters.set('group', within.group);
    parameters.set('path', within.path);
  }
  return `${WEB_UPLOAD_PATH}?${parameters.toString()}`;
}

// XMLHttpRequest reports upload progress; fetch does not.
function upload(
  file: File,
  address: string,
  onLoaded: (bytes: number) => void,
  signal: AbortSignal,
): Promise<FileHandle> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.onprogress = (event) => onLoaded(event.loaded);
    request.onabort = () => reject(new DOMException(messages.uploadAborted, 'AbortError'));
    request.onerror = () => reject(uploadProblem(file, messages.connectionBroken));
    request.onload = () => {
      signal.removeEventListener('abort', abort);
      try {
        resolve(readUploadAnswer(request.status, request.responseText, file));
      } catch (error) {
        reject(error as Error);
      }
    };
    request.open('POST', address);
    request.send(file);
  });
}

const uploadProblem = (file: Pick<File, 'name'>, reason: string): ProblemError =>
  new ProblemError({ code: 'upload.failed', message: messages.uploadFailed(file.name, reason), place: file.name });

function isFileHandle(value: unknown): value is FileHandle {
  if (typeof value !== 'object' || value === null) return false;
  const { handle, name, bytes } = value as Partial<FileHandle>;
  return typeof handle === 'string' && handle !== '' && typeof name === 'string' && typeof bytes === 'number';
}

export function readUploadAnswer(status: number, text: string, file: Pick<File, 'name'>): FileHandle {
  const body = parseJson(text);
  if (status >= 200 && status < 300) {
    if (isFileHandle(body)) return { handle: body.handle, name: body.name, bytes: body.bytes };
    return fail('upload.unreadable', messages.notAccepted(file.name), { place: file.name });
  }
  if (isProblem(body)) {
    const { code, message, hint } = body;
    throw new ProblemError({ code, message, ...(hint === undefined ? {} : { hint }), place: file.name });
  }
  throw uploadProblem(file, messages.hostStatus(status));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
