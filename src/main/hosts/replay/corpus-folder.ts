import { errorCode } from '../../../base/error-code.ts';
import { nearestName } from '../../../base/nearest-name.ts';
import { fail } from '../../../model/problem.ts';
import { type Expectation, type Label, parseLabel } from './label.ts';
import { messages } from './messages.ts';

/** How a recording relates to the pattern of its folder. */
export const kinds = ['positive', 'partial', 'negative', 'adjacent', 'healthy'] as const;
export type Kind = (typeof kinds)[number];

/** Folder of recordings in which no pattern may be found. */
export const HEALTHY = 'healthy';
const LABEL = 'label.yaml';
const MOST_RECORDINGS = 10_000;

/** A labelled recording of a corpus. */
export interface Recording {
  /** `psu-failure/positive`: its folder, and its file or folder without the ending. */
  readonly name: string;
  readonly path: string;
  /** Id of the pattern of its folder; null for healthy ones. */
  readonly pattern: string | null;
  readonly kind: Kind;
  readonly expect: readonly Expectation[];
  readonly why: string | null;
  readonly source: string | null;
  readonly licence: string | null;
}

/** What reading a corpus takes of the disk. Paths are joined with `/`. */
export interface CorpusFiles {
  /** @throws errors of the system */
  listFolder(path: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]>;
  readFile(path: string): Promise<string>;
}

/**
 * Labelled recordings of a folder, in order of name: a folder for each pattern, of files or folders whose names begin with their kind, and
 * a folder `healthy`. Other files beside these folders, hidden ones, and `.md` files are left alone.
 * @param known ids of all patterns
 * @throws ProblemError replay.no_folder, replay.no_recordings, replay.unknown_folder, replay.unknown_recording, replay.label_invalid
 */
export async function readCorpus(files: CorpusFiles, root: string, known: readonly string[]): Promise<Recording[]> {
  const names = [...known, HEALTHY];
  const recordings: Recording[] = [];
  for (const { name, isFolder } of await visible(files, root).catch(missing(root))) {
    if (!isFolder) continue;
    if (!names.includes(name)) {
      const { message, hint } = messages.unknownFolder;
      fail('replay.unknown_folder', message(name), { hint: hint(nearestName(name, names) ?? HEALTHY) });
    }
    recordings.push(...(await readFolder(files, `${root}/${name}`, { name, known })));
    if (recordings.length > MOST_RECORDINGS) fail('replay.too_many', messages.tooMany(MOST_RECORDINGS));
  }
  const { message, hint } = messages.noRecordings;
  if (recordings.length === 0) fail('replay.no_recordings', message, { hint });
  return recordings;
}

const missing =
  (root: string) =>
  (error: unknown): never => {
    if (errorCode(error) !== 'ENOENT') throw error;
    const { message, hint } = messages.noFolder;
    return fail('replay.no_folder', message(root), { hint });
  };

const visible = async (files: CorpusFiles, folder: string) =>
  (await files.listFolder(folder))
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

interface Folder {
  readonly name: string;
  readonly known: readonly string[];
}

async function readFolder(files: CorpusFiles, path: string, folder: Folder): Promise<Recording[]> {
  const entries = await visible(files, path);
  const hasLabel = entries.some(({ name }) => name === LABEL);
  const labelName = `${folder.name}/${LABEL}`;
  const label = hasLabel ? parseLabel(await files.readFile(`${path}/${LABEL}`), labelName) : {};
  const names = entries.map(({ name }) => name).filter((name) => name !== LABEL && !/\.md$/i.test(name));
  const stems = names.map(stemOf);
  for (const labelled of Object.keys(label.recordings ?? {})) {
    const fits = names.filter((name) => name === labelled || stemOf(name) === labelled);
    if (fits.length === 1) continue;
    const nearest = nearestName(labelled, [...stems, ...names]);
    fail('replay.label_invalid', messages.labelled(labelName, labelled, fits.length, nearest));
  }
  return names.map((name) => toRecording(name, `${path}/${name}`, { ...folder, label }));
}

const stemOf = (name: string): string => name.replace(/\..*$/s, '');

function toRecording(file: string, path: string, { name: folder, known, label }: Folder & { label: Label }): Recording {
  const pattern = folder === HEALTHY ? null : folder;
  const kind = pattern === null ? HEALTHY : kinds.find((one) => new RegExp(`^${one}(?![a-z])`, 'i').test(file));
  const name = `${folder}/${stemOf(file)}`;
  if (kind === undefined || (kind === HEALTHY && pattern !== null))
    return fail('replay.unknown_recording', messages.unknownRecording.message(`${folder}/${file}`), {
      hint: messages.unknownRecording.hint,
    });
  const own = label.recordings?.[file] ?? label.recordings?.[stemOf(file)];
  const origin = { source: own?.source ?? label.source ?? null, licence: own?.licence ?? label.licence ?? null };
  const expect = expectations(own?.expect ?? [], { name, pattern, kind, known });
  return { name, path, pattern, kind, expect, why: own?.why ?? null, ...origin };
}

/** Of positive and partial recordings the pattern of the folder is expected without a label, too. */
function expectations(
  stated: readonly Expectation[],
  { name, pattern, kind, known }: Pick<Recording, 'name' | 'pattern' | 'kind'> & { readonly known: readonly string[] },
): Expectation[] {
  const isFound = kind === 'positive' || kind === 'partial';
  for (const { pattern: one } of stated) {
    if (!known.includes(one))
      fail('replay.label_invalid', messages.unknownPattern(name, one, nearestName(one, known) ?? ''));
    if (kind === HEALTHY || (!isFound && one === pattern))
      fail('replay.label_invalid', messages.contradicts(name, kind, one));
  }
  if (!isFound || pattern === null) return [...stated];
  const verdict = kind === 'partial' ? 'partial' : 'complete';
  const own = stated.filter((one) => one.pattern === pattern);
  return [
    ...(own.length > 0 ? own : [{ pattern }]).map((one) => ({ verdict, ...one }) as const),
    ...stated.filter((one) => one.pattern !== pattern),
  ];
}
