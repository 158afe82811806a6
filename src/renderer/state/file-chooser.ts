import { useCase } from './case-state.ts';
import { hasOwnDialog, importFiles, pickAndImport } from './session.ts';

/** The host's own dialog where it has one, else the browser's. */
export function openFileChooser(): void {
  if (hasOwnDialog(useCase.getState().app)) return void pickAndImport();
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => {
    if (input.files && input.files.length > 0) void importFiles([...input.files].map((file) => ({ file, path: null })));
  });
  input.click();
}
