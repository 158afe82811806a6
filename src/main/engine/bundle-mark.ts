import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../disk/write-whole.ts';

/** In the folder of a case that came as a bundle. */
const BUNDLE_MARK = 'bundle.json';

const markSchema = z.object({
  /** Its root hash. */
  root: z.string(),
  /** What it is called wherever it is unpacked. */
  case: z.string().min(1).max(200),
  /** Written once its rows are in. Left out by versions that wrote the mark before the rows: a mark of theirs proves nothing. */
  loaded: z.literal(true).optional(),
});

type BundleMark = z.infer<typeof markSchema>;

/** null: the case in this folder is no bundle's. */
export async function bundleMark(folder: string): Promise<BundleMark | null> {
  const text = await readFile(join(folder, BUNDLE_MARK), 'utf8').catch(() => 'null');
  try {
    return markSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // A damaged mark costs the case its name.
  }
}

/** Records that the rows of a bundle are in the case of this folder. */
export const markLoaded = (folder: string, mark: Omit<BundleMark, 'loaded'>): Promise<void> =>
  writeWhole(join(folder, BUNDLE_MARK), JSON.stringify({ ...mark, loaded: true }));

/** The case of this folder is one of its own from now on. */
export const removeMark = (folder: string): Promise<void> => rm(join(folder, BUNDLE_MARK), { force: true });
