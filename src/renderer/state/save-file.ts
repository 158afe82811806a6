import { WEB_DOWNLOAD_PATH } from '../../model/contract/wire.ts';
import { fetchMade } from '../client/fetch-made.ts';
import { client } from './client.ts';
import { messages } from './messages.ts';
import { notify } from './toasts.ts';

/** Saves with the dialog of the host, or else as a browser download. */
export async function saveFile(name: string, blob: Blob): Promise<void> {
  const content = blob.type.startsWith('text/') ? await blob.text() : new Uint8Array(await blob.arrayBuffer());
  const { saved } = await client().call('files.save', { suggested_name: name, content });
  if (saved !== null) return notify(messages.savedAs(saved));
  download(name, blob);
}

/** Downloads a file that the host made; null: the host saved it already. */
export async function saveMade(name: string, handle: string | null): Promise<void> {
  if (handle === null) return notify(messages.savedAs(name));
  const made = await fetchMade(handle);
  if (made) return download(name, made);
  downloadInBrowser(name, `${WEB_DOWNLOAD_PATH}?handle=${encodeURIComponent(handle)}`);
}

function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  downloadInBrowser(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function downloadInBrowser(name: string, address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  notify(messages.downloaded(name));
}
