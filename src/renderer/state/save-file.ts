import { client } from './client.ts';
import { notify } from './toasts.ts';

/** Where the host has no dialog of its own, the browser's downloads take the file. */
export async function saveFile(name: string, blob: Blob): Promise<void> {
  const content = blob.type.startsWith('text/') ? await blob.text() : new Uint8Array(await blob.arrayBuffer());
  const { saved } = await client().call('files.save', { suggested_name: name, content });
  if (saved !== null) return notify(`saved as ${saved}`);
  download(name, blob);
}

export function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  handToBrowser(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function handToBrowser(name: string, address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  notify(`${name} handed to the browser's downloads`);
}
