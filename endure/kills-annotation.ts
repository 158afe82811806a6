import { join } from 'node:path';
import { appArgs } from './kills-app-args.ts';
import { differenceOf, rowsIn, stateOf } from './kills-content.ts';
import { copyOf } from './kills-place.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim } from './kills-victim.ts';

/** As in `kills-app.ts`: every so many notes one is taken away. */
const REMOVE_EVERY = 5;

/** The app, which puts notes and takes some away, one after the other. */
export const annotationKills: KillTarget = { kills: 30, prepare };

async function prepare({ intact, intactState }: KillWorld): Promise<PreparedKills> {
  let most = 0;
  let all = 0;
  const begin = async (place: Place) => {
    const path = await copyOf(intact.path, place);
    const { env } = place;
    const victim = startVictim(appArgs('annotate', join(place.folder, 'home'), path), env);
    await victim.waitForLine(/^open$/);
    const check = async (): Promise<string[]> => {
      const difference = differenceOf(await stateOf(path, env), intactState);
      const rows = await rowsIn<{ id: string; text: string }>(path, 'select annotation_id as id, text from annotation');
      const report = reportOf(victim.lines());
      most = Math.max(most, report.put.size);
      all += report.put.size;
      return [...notesWrong(rows, report), ...(difference === '' ? [] : [`not as undisturbed: ${difference}`])];
    };
    return { victim, check };
  };
  return { lasts_ms: 2000, begin, figures: () => [`${all} notes, at most ${most} before a kill`] };
}

interface AnnotationReport {
  readonly put: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

function reportOf(lines: readonly string[]): AnnotationReport {
  const of = (word: string) =>
    new Set(lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [])));
  return { put: of('put'), removed: of('removed') };
}

/** The step after the last reported one may be in the case as well. */
function notesWrong(
  rows: readonly { readonly id: string; readonly text: string }[],
  { put, removed }: AnnotationReport,
): string[] {
  const there = new Set(rows.map(({ id }) => id));
  const lost = [...put].filter((id) => !removed.has(id) && !there.has(id));
  const mayBeTakenAway = lost.length === 1 && lost[0] === `note-${put.size}` && put.size % REMOVE_EVERY === 0;
  const back = [...there].filter((id) => removed.has(id));
  const odd = rows.filter(({ id, text }) => text !== `text of ${id}`);
  const added = [...there].filter((id) => !put.has(id) && id !== `note-${put.size + 1}`);
  return [
    ...(lost.length > 0 && !mayBeTakenAway ? [`notes lost: ${lost.join(', ')}`] : []),
    ...(back.length > 0 ? [`notes that were taken away are back: ${back.join(', ')}`] : []),
    ...(odd.length + added.length > 0 ? [`${odd.length} notes changed, ${added.length} that were never put`] : []),
  ];
}
