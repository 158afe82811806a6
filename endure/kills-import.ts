import { access, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainSpans } from '../test/support/plain-spans.ts';
import { cli, faultline, must } from './faultline.ts';
import { type CaseState, differenceOf, stateOf } from './kills-content.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim } from './kills-victim.ts';

const gauge = 'DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-11111111-2222-3333-4444-555555555555"}';
/** From its samples an event is derived. */
const fallenGpu = `# HELP DCGM_FI_DEV_XID_ERRORS x\n# TYPE DCGM_FI_DEV_XID_ERRORS gauge\n${gauge} 0 1700000000000\n${gauge} 79 1700000060000\n`;
/** Some of the killed imports are begun again. */
const AGAIN_EVERY = 4;

/** The command line that imports files of several formats into a case that is made by it. */
export const importKills: KillTarget = { kills: 50, prepare };

async function prepare({ folder, intact, spans }: KillWorld): Promise<PreparedKills> {
  const files = [...intact.small, ...(await makeFiles(folder, spans)), ...intact.large];
  const states = await undisturbed(join(folder, 'case.faultline'), files);
  const stages = new Set<number>();
  const begin = async ({ folder: own, env, number }: Place) => {
    const path = join(own, 'case.faultline');
    const victim = startVictim([cli, 'import', path, ...files], env);
    const check = async (): Promise<string[]> => {
      const reported = victim.lines().filter((line) => line.startsWith('imported ')).length;
      const isMade = await isThere(join(path, 'case.duckdb'));
      if (!isMade && reported > 0) return [`${reported} sources reported, and there is no case`];
      const wrong: string[] = [];
      if (isMade) {
        const state = await stateOf(path, env);
        const survived = state.sources.length;
        stages.add(survived);
        if (survived < reported) wrong.push(`${reported} sources reported, ${survived} there`);
        const difference = survived === 0 ? rowsOf(state) : differenceOf(state, states[survived - 1]!);
        if (difference !== '') wrong.push(`${survived} sources, not as undisturbed: ${difference}`);
      }
      if (isMade && number % AGAIN_EVERY !== 0) return wrong;
      // What is there already is refused as such.
      await faultline(['import', path, ...files], env);
      const difference = differenceOf(await stateOf(path, env), states.at(-1)!);
      return difference === '' ? wrong : [...wrong, `begun again, not as undisturbed: ${difference}`];
    };
    return { victim, check };
  };
  return { begin, figures: () => [`cases of ${[...stages].sort((a, b) => a - b).join(', ')} sources were left`] };
}

/** Of more formats. */
async function makeFiles(folder: string, spans: number): Promise<string[]> {
  const [xid, plain, table] = ['xid.prom', 'spans.binpb', 'spans.parquet'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(xid, fallenGpu);
  await writeFile(plain, plainSpans(spans / 4, 1));
  const [other, tables] = [join(folder, 'other'), join(folder, 'tables')];
  await writeFile(`${other}.binpb`, plainSpans(spans / 2, 2));
  await must(['import', `${other}.faultline`, `${other}.binpb`]);
  await must(['export', `${other}.faultline`, '--parquet', tables]);
  await cp(join(tables, 'spans.parquet'), table);
  return [xid, plain, table];
}

/** Of a case without sources: there should be none. */
const rowsOf = ({ content }: CaseState): string =>
  content
    .split('\n')
    .filter((line) => !/ 0 0 $/.test(line))
    .join(', ');

/** What the case is after one, two ... of the files. */
async function undisturbed(path: string, files: readonly string[]): Promise<CaseState[]> {
  const states: CaseState[] = [];
  for (const file of files) {
    await must(['import', path, file]);
    states.push(await stateOf(path, {}));
  }
  return states;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
