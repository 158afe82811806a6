import { join } from 'node:path';
import type { Api } from '../model/contract/index.ts';
import { ProblemError } from '../model/problem.ts';
import { compose } from './compose.ts';
import { startElectron } from './hosts/electron.ts';
import { startUtilityProcess } from './hosts/electron-utility.ts';
import { createFileHandles } from './hosts/file-handles.ts';

const files = createFileHandles();
startElectron({
  files,
  rendererDir: join(import.meta.dirname, '../renderer'),
  preloadFile: join(import.meta.dirname, '../preload/index.cjs'),
  openApi: async (host, named) => {
    const opened = compose({
      host,
      files,
      workerFile: new URL('./import-worker.js', import.meta.url),
      startProcess: startUtilityProcess(join(import.meta.dirname, 'query-process.js')),
    });
    // `npm start` opens the demo this way. If the case cannot be opened, the empty window shows what to do.
    const first = named ?? process.env['FAULTLINE_CASE'];
    if (first) await openFirst(opened.api, first);
    return opened;
  },
});

async function openFirst(api: Api, path: string): Promise<void> {
  try {
    await api['case.open']({ handle: (await files.register(path)).handle });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    process.stderr.write(`faultline: ${error.problem.message}\n`);
  }
}
