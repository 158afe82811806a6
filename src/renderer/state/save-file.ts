import { WEB_DOWNLOAD_PATH } from '../../model/contract/index.ts';
import { fetchMade } from '../client/fetch-made.ts';
import { client } from './client.ts';
import { notify } from './toasts.ts';

/** Where the host has no dialog of its own, the browser's downloads take the file. */
export async function saveFile(name: string, blob: Blob): Promise<void> {
  const content = blob.type.startsWith('text/') ? await blob.text() : new Uint8Array(await blob.arrayBuffer());
  const { saved } = await client().call('files.save', { suggested_name: name, content });
  if (saved !== null) return notify(`saved as ${saved}`);
  download(name, blob);
}

/** Brings what the host made for the page to where downloads go; a handle of null: it is where the user said. */
export async function saveMade(name: string, handle: string | null): Promise<void> {
  if (handle === null) return notify(`saved as ${name}`);
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
  notify(`${name} handed to the browser's downloads`);
}
