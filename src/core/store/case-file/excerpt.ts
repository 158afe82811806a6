import { type BundleExcerpt, excerptSchema, excerptText } from '../../../model/storage/bundle.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { one } from './case-file.ts';

/** The key in meta with the omissions of a case that is a cut. */
const EXCERPT = 'excerpt';

/** null: complete. */
export async function readExcerpt(session: Session): Promise<BundleExcerpt | null> {
  const found = await one<{ value: string }>(session, 'select value from meta where key = $1', [EXCERPT]);
  if (!found) return null;
  try {
    return excerptSchema.safeParse(JSON.parse(found.value)).data ?? null;
  } catch {
    return null;
  }
}

export async function readExcerptText(session: Session): Promise<string | null> {
  const excerpt = await readExcerpt(session);
  return excerpt && excerptText(excerpt);
}

export async function writeExcerpt(session: Session, excerpt: BundleExcerpt): Promise<void> {
  await session.query('insert or replace into meta values ($1, $2)', [EXCERPT, JSON.stringify(excerpt)]);
}
