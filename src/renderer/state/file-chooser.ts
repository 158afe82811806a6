import { chooseBrowserFiles } from './browser-files.ts';
import { hasOwnDialog, importFiles, pickAndImport } from './import-flow.ts';
import { known } from './known.ts';

/** The file dialog of the host, or else of the browser. */
export const openFileChooser = (): void => choose('import');
export const openFolderChooser = (): void => choose('folder');

function choose(purpose: 'import' | 'folder'): void {
  if (hasOwnDialog(known('app.info') ?? null)) return void pickAndImport(purpose);
  chooseBrowserFiles({ multiple: true, folder: purpose === 'folder' }, (files) => {
    void importFiles(files.map((file) => ({ file, path: file.webkitRelativePath || null })));
  });
}
