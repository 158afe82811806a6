import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** In the folder of a case that came as a bundle: which one, and what it is called wherever it is unpacked. */
export const BUNDLE_MARK = 'bundle.json';

const markSchema = z.object({ root: z.string(), case: z.string().min(1).max(200) });

/** null: the case in this folder is no bundle's. */
export async function bundleMark(folder: string): Promise<z.infer<typeof markSchema> | null> {
  const text = await readFile(join(folder, BUNDLE_MARK), 'utf8').catch(() => 'null');
  try {
    return markSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // A damaged mark costs the case its name.
  }
}
