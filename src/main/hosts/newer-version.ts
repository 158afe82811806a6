import { z } from 'zod';
import { fail } from '../../model/problem.ts';

/** A release as public forges list it. */
const releaseSchema = z.object({
  tag_name: z.string().max(100),
  html_url: z.string().max(500).optional(),
  draft: z.boolean().optional(),
  prerelease: z.boolean().optional(),
});

export interface Release {
  readonly version: string;
  readonly notes: string | null;
}

type Parts = readonly [number, number, number];

/** A released version; null: none, or a preview of one. */
function partsOf(version: string): Parts | null {
  const found = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : null;
}

const compare = (a: Parts, b: Parts): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/**
 * The newest release of a list that is newer than a version; null: there is none.
 * @param text a list of releases as JSON, or one release @throws ProblemError update.invalid
 */
export function newerRelease(text: string, version: string): Release | null {
  const own = partsOf(version) ?? [0, 0, 0];
  const newer = readReleases(text)
    .filter(({ draft, prerelease }) => !draft && !prerelease)
    .flatMap(({ tag_name, html_url }) => {
      const parts = partsOf(tag_name);
      return parts && compare(parts, own) > 0 ? [{ parts, notes: html_url ?? null }] : [];
    })
    .sort((a, b) => compare(b.parts, a.parts))[0];
  return newer ? { version: newer.parts.join('.'), notes: newer.notes } : null;
}

function readReleases(text: string): readonly z.infer<typeof releaseSchema>[] {
  try {
    return z.union([z.array(releaseSchema).max(1000), releaseSchema.transform((one) => [one])]).parse(JSON.parse(text));
  } catch {
    return fail('update.invalid', 'this is no list of releases', {
      hint: 'name the JSON that a forge answers with for the releases of a repository: a list of objects with "tag_name"',
    });
  }
}
