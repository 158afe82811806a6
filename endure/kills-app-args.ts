import { join } from 'node:path';

const hook = join(import.meta.dirname, '../bench/raw-text.mjs');
const app = join(import.meta.dirname, 'kills-app.ts');

/** How Node runs the app of `kills-app.ts`. */
export const appArgs = (work: 'load' | 'annotate', root: string, file: string): readonly string[] => [
  '--import',
  hook,
  app,
  work,
  root,
  file,
];
