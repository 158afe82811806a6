import { join } from 'node:path';
import { compose } from './compose.ts';
import { startElectron } from './hosts/electron.ts';
import { createFileHandles } from './hosts/file-handles.ts';

const files = createFileHandles();
startElectron({
  files,
  rendererDir: join(import.meta.dirname, '../renderer'),
  preloadFile: join(import.meta.dirname, '../preload/index.cjs'),
  openApi: async (host) => compose({ host, files, workerFile: new URL('./import-worker.js', import.meta.url) }),
});
