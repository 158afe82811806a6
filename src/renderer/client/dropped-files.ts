import { desktopBridge } from './bridge.ts';

/** A dropped or selected file; `path` is its path in a dropped folder, starting with the name of the folder. */
export interface DroppedFile {
  readonly file: File;
  readonly path: string | null;
}

/**
 * All files of a drop. A browser reads folders entry by entry; the desktop app knows their paths.
 * Call it while the drop event is handled: the entries are gone afterwards.
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
  // A reader returns about a hundred entries per call, and none at the end.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return;
    for (const inner of portion) await collect(inner, files);
  }
}
