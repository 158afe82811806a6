import { hasOwnDialog, importFiles, pickAndImport } from './import-flow.ts';
import { known } from './known.ts';

/** The file dialog of the host, or else of the browser. */
export const openFileChooser = (): void => choose('import');
export const openFolderChooser = (): void => choose('folder');

function choose(purpose: 'import' | 'folder'): void {
  if (hasOwnDialog(known('app.info') ?? null)) return void pickAndImport(purpose);
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.webkitdirectory = purpose === 'folder';
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || null }));
    if (files.length > 0) void importFiles(files);
  });
  input.click();
}
