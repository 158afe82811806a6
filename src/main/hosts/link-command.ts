import { lstat, mkdir, readlink, rename, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * `linked`: the command is at the link; `temporary`: the app runs from a disk image or a place that macOS made for one start; `taken`: what
 * lies at the link is not ours; `denied`: the line does it with the rights that are missing.
 */
export type LinkedCommand =
  | { readonly kind: 'linked' | 'temporary' | 'taken' }
  | { readonly kind: 'denied'; readonly line: string };

/** Where the command lies in any copy of the app. */
const OURS = '.app/Contents/Resources/bin/faultline';

/**
 * Puts the command of an installed app onto the PATH, as a link; one of an earlier place of the app is replaced, anything else stays.
 * @param link absolute path, in a folder of the PATH
 * @param program absolute path of the command in the app
 * @throws what the disk answers, but missing rights
 */
export async function linkCommand(link: string, program: string): Promise<LinkedCommand> {
  if (/^\/Volumes\/|\/AppTranslocation\//.test(program)) return { kind: 'temporary' };
  const present = await lstat(link).catch(() => null);
  const leadsTo = present?.isSymbolicLink() ? await readlink(link) : null;
  if (leadsTo === program) return { kind: 'linked' };
  if (present && !leadsTo?.endsWith(OURS)) return { kind: 'taken' };
  try {
    await mkdir(dirname(link), { recursive: true });
    // A link is not overwritten; a renamed one is, in one step.
    const next = `${link}.new-${process.pid}`;
    await symlink(program, next);
    await rename(next, link);
    return { kind: 'linked' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    const [folder, to, from] = [dirname(link), link, program].map(quoted);
    return { kind: 'denied', line: `sudo mkdir -p ${folder} && sudo ln -sfn ${from} ${to}` };
  }
}

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
