import { join } from 'node:path';
import { startElectron } from '../../../src/main/hosts/electron.ts';
import { createFileHandles } from '../../../src/main/hosts/file-handles.ts';
import { createSampleApi } from '../sample-api.ts';

/** The real desktop host and preload around a page of two files: what the end-to-end tests need of the product, no more. */
startElectron({
  files: createFileHandles(),
  rendererDir: join(import.meta.dirname, 'renderer'),
  preloadFile: process.env.TEST_PRELOAD ?? '',
  openApi: async (host) => {
    const { api } = createSampleApi(host);
    return { api, close: async () => undefined };
  },
});
