import { WEB_DOWNLOAD_PATH } from '../../model/contract/index.ts';
import { client } from './client.ts';
import { notify } from './toasts.ts';

/** Where the host has no dialog of its own, the browser's downloads take the file. */
export async function saveFile(name: string, blob: Blob): Promise<void> {
  const content = blob.type.startsWith('text/') ? await blob.text() : new Uint8Array(await blob.arrayBuffer());
  const { saved } = await client().call('files.save', { suggested_name: name, content });
  if (saved !== null) return notify(`saved as ${saved}`);
  download(name, blob);
}

/** Fetches what the host made for the page; null: it is where the user said. */
export function fetchMade(name: string, handle: string | null): void {
  if (handle === null) return notify(`saved as ${name}`);
  const link = document.createElement('a');
  link.href = `${WEB_DOWNLOAD_PATH}?handle=${encodeURIComponent(handle)}`;
  link.download = name;
  link.click();
  notify(`${name} handed to the browser's downloads`);
}

function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  notify(`${name} handed to the browser's downloads`);
}
