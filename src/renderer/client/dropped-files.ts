import { desktopBridge } from './bridge.ts';

/** A file that was dropped or picked; `path` is its place in a dropped folder, beginning with the folder's name. */
export interface DroppedFile {
  readonly file: File;
  readonly path: string | null;
}

/**
 * Everything in a drop. A browser hands over folders entry by entry; the desktop knows their paths itself.
 * Must be called while the drop event is being handled: the entries are gone afterwards.
 */
export async function droppedFiles(drop: DataTransfer): Promise<DroppedFile[]> {
  const plain = [...drop.files].map((file) => ({ file, path: null }));
  if (desktopBridge()) return plain;
  const entries = [...drop.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  const files: DroppedFile[] = [];
  for (const entry of entries) await collect(entry, files);
  return files;
}

async function collect(entry: FileSystemEntry, files: DroppedFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const path = entry.fullPath.replace(/^\//, '');
    files.push({ file, path: path.includes('/') ? path : null });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader answers in portions of about a hundred, and with none when it is through.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return;
    for (const inner of portion) await collect(inner, files);
  }
}
