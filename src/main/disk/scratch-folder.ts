import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode } from '../../base/error-code.ts';

/** A folder for files that are needed for a while. */
export interface ScratchFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

const PREFIX = 'faultline-';
/** As older versions named what they unpacked, in the temporary folder alone. */
const OLD = /^faultline-import-[^-]+$/;
/** The owner of a folder is in its name: process id, and on Linux the namespace that the id is valid in. */
const OWNED = /^faultline-[a-z]+-(\d+)-(\d+)-[0-9a-f]{32}$/;
/** Of owners that cannot be looked up: longer than any import, export or window runs. */
const ABANDONED_MS = 24 * 3600 * 1000;

/** Containers can share a folder and not their process ids. 0: this system has no namespaces, or does not show them. */
function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** A name that no other process uses, by which {@link sweepScratch} finds out whether its owner still runs. */
export const scratchName = (purpose: string): string =>
  `${PREFIX}${purpose}-${process.pid}-${processNamespace()}-${randomBytes(16).toString('hex')}`;

export const isScratch = (name: string): boolean => OWNED.test(name);

/**
 * Where a file is written until it is whole: beside its place, so that it can be renamed. What killed processes left there is
 * removed first.
 */
export async function scratchFileFor(path: string): Promise<string> {
  const folder = dirname(path);
  await sweepScratch(folder);
  return join(folder, scratchName('part'));
}

let _swept: Promise<void> | undefined;

/**
 * Makes a folder of this process in the temporary folder; what killed processes left there is removed first, once.
 * @param purpose lower-case letters, for people who look into the temporary folder
 */
export async function newScratch(purpose: string): Promise<ScratchFolder> {
  await sweepOnce();
  const folder = join(tmpdir(), scratchName(purpose));
  await mkdir(folder, { mode: 0o700 });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** At the start of a process, too: what a crash left behind is a copy of evidence. */
export const sweepOnce = (): Promise<void> => (_swept ??= sweepScratch(tmpdir(), OLD));

/**
 * Removes folders and files of processes that no longer run. Folders of other users, and whatever has no name of ours with its owner in it,
 * are left alone.
 * @param old names without an owner that go when they are a day old
 */
export async function sweepScratch(parent: string, old?: RegExp): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const folder = join(parent, name);
    if ((isScratch(name) || old?.test(name)) && (await isAbandoned(folder, name).catch(() => false)))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const { mtimeMs, uid } = await stat(folder);
  if (process.getuid && uid !== process.getuid()) return false;
  const [, pid, namespace] = OWNED.exec(name) ?? [];
  if (pid !== undefined && namespace === processNamespace() && !isRunning(Number(pid))) return true;
  // Another process may have the same id by now, and ids of another namespace mean nothing here.
  return Number(pid) !== process.pid && Date.now() - mtimeMs > ABANDONED_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
