import { copyFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fail, ProblemError } from '../../model/problem.ts';
import { CASE_DATABASE, type SalvagedCase } from '../../model/storage/case-storage.ts';
import { newScratch } from '../disk/scratch-folder.ts';
import { openNativeEngine } from './native-engine.ts';

const LOG = `${CASE_DATABASE}.wal`;

/**
 * Opens a copy of a damaged case; the evidence itself is not touched. Where its write-ahead log cannot be replayed it is left out.
 * @throws ProblemError case.missing, case.beyond_repair
 */
export async function salvageCase(folder: string): Promise<SalvagedCase> {
  if (!(await stat(join(folder, CASE_DATABASE)).catch(() => null)))
    return fail('case.missing', `there is no case ${basename(folder)}`, { hint: 'name a folder NAME.faultline' });
  const scratch = await newScratch('case');
  const [from, to] = [folder, scratch.folder].map((place) => (name: string) => join(place, name)) as [
    (name: string) => string,
    (name: string) => string,
  ];
  try {
    await copyFile(from(CASE_DATABASE), to(CASE_DATABASE));
    const hasLog = await copyFile(from(LOG), to(LOG)).then(
      () => true,
      () => false,
    );
    const opened = hasLog ? await openIfWhole(to(CASE_DATABASE)) : null;
    if (opened === null && hasLog) await rm(to(LOG), { force: true });
    const engine = opened ?? (await openIfWhole(to(CASE_DATABASE)));
    if (engine === null)
      return fail('case.beyond_repair', 'no part of this case can be recovered: the index of its rows is damaged', {
        hint: 'open its bundle if you have one, or import its files again',
      });
    let current = engine;
    const reopen = async () => {
      // A database that found damage may not even close without an error.
      await current.close().catch(() => undefined);
      current = await openNativeEngine(to(CASE_DATABASE));
      return current;
    };
    return { engine, reopen, log_lost: hasLog && opened === null, remove: scratch.remove };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function openIfWhole(path: string) {
  try {
    return await openNativeEngine(path);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'case.damaged') return null;
    throw error;
  }
}
