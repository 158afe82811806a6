import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isCompressed, openBytes } from '../src/main/sources/bytes/decompress.ts';
import { sources } from '../src/main/sources/index.ts';
import { type Problem, ProblemError } from '../src/model/problem.ts';
import type { RowBatch } from '../src/model/rows/rows.ts';
import { DETECT_BYTES, FileHead, type Source } from '../src/model/storage/source.ts';
import { fixturesOf } from '../test/support/fixtures.ts';
import { addBatch, emptyReading, type GrowingReading } from '../test/support/read-source.ts';
import { chunksOf, inputOf } from '../test/support/source-input.ts';
import { checkInCase } from './case.ts';
import { grammarOf } from './grammars.ts';
import { mutated, mutations, vocabularyOf } from './mutations.ts';
import type { HostileInput, Tally, Target } from './target.ts';

/** One input of so many is put into a real case. */
const CASE_EVERY = 100;
/** More pieces than this take long and show nothing new. */
const MAX_PIECES = 4000;
/** Columns are compressed inside these: how many rows a byte may stand for is theirs to say, not ours. */
const COLUMNAR = new Set(['parquet']);

/** A source under fuzz. @throws Error when it has no fixtures: nothing would be tried */
export async function decoderTarget(source: Source): Promise<Target> {
  const files = (await Promise.all(fixturesOf(source).map(seedsOf))).flat();
  if (files.length === 0) throw new Error(`${source.id} has no fixtures to fuzz`);
  const contents = files.map(({ bytes }) => bytes);
  const piece = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 9000 }));
  const fromFixture = fc
    .record({ file: fc.constantFrom(...files), changes: mutations(vocabularyOf(contents)), piece })
    .map(({ file, changes, piece }) => ({ ...file, bytes: mutated(file.bytes, changes), piece }));
  const fromGrammar = fc
    .record({ bytes: grammarOf(source.id, contents), piece })
    .map(({ bytes, piece }) => ({ origin: 'grammar', path: 'hidden', bytes, siblings: {}, piece }));
  return {
    id: source.id,
    inputs: fc.oneof({ weight: 4, arbitrary: fromFixture }, { weight: 1, arbitrary: fromGrammar }),
    check: (input, folder) => checkDecoder(source, input, folder),
  };
}

/** Every file of a recording, its siblings beside it; compressed ones as they are and unpacked. */
async function seedsOf([origin, tree]: ReturnType<typeof fixturesOf>[number]): Promise<Omit<HostileInput, 'piece'>[]> {
  const seeds: Omit<HostileInput, 'piece'>[] = [];
  for (const [path, bytes] of Object.entries(tree)) {
    const { [path]: _, ...otherFiles } = tree;
    seeds.push({ origin, path, bytes, siblings: otherFiles });
    if (isCompressed(bytes)) seeds.push({ origin, path, bytes: (await unpacked(bytes)).bytes, siblings: otherFiles });
  }
  return seeds;
}

async function unpacked(bytes: Uint8Array): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of openBytes(chunksOf(bytes))) parts.push(chunk.slice());
    return { bytes: Buffer.concat(parts), whole: true };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { bytes: Buffer.concat(parts), whole: false };
  }
}

async function checkDecoder(source: Source, input: HostileInput, folder: string): Promise<Tally> {
  const { bytes, whole } = await unpacked(input.bytes);
  const head = new FileHead(bytes.subarray(0, DETECT_BYTES));
  for (const one of sources) if (one.detect(head)) one.gather?.root(input.path, head);
  const { reading, batches, problem } = await read(source, input, folder);
  const besides = Object.values(input.siblings).reduce((sum, { length }) => sum + length, 0);
  const made = Object.values(reading.rows).reduce((sum, rows) => sum + rows.length, 0);
  if (made > bytes.length + besides + 1000 && !COLUMNAR.has(source.id))
    throw new Error(`${made} rows out of ${bytes.length + besides} bytes`);
  // How much of a broken stream comes out depends on how it goes in.
  if (whole) {
    const piece = Math.max(input.piece, Math.ceil(input.bytes.length / MAX_PIECES));
    const again = await read(source, input, folder, piece);
    const [one, other] = [comparable({ reading, problem }), comparable(again)];
    if (!isDeepStrictEqual(one, other))
      throw new Error(`pieces of ${piece} bytes read differently: ${difference(one, other)}`);
  }
  if (input.piece % CASE_EVERY === 0) {
    const countsInCase = await checkInCase(batches, source.id);
    if (COLUMNAR.has(source.id) && !problem) await checkLeftToEngine(source, input, folder, countsInCase);
  }
  const rejects = reading.rows.reject.length;
  return { rows: made - rejects, rejects: rejects + (problem ? 1 : 0) };
}

/** A case's own engine, where rows of a file are left to it, must come to as many rows as are read one by one. */
async function checkLeftToEngine(
  source: Source,
  input: HostileInput,
  folder: string,
  countsInCase: unknown,
): Promise<void> {
  let consumed = Promise.withResolvers<number>();
  const taken = async () => {
    const rows = await consumed.promise;
    consumed = Promise.withResolvers();
    return rows;
  };
  const batches = source.read({ ...inputOf(contentOf(source, input), { folder }), taken });
  const inserted = await checkInCase(batches, source.id, (rows) => consumed.resolve(rows));
  if (!isDeepStrictEqual(inserted, countsInCase))
    throw new Error(`one by one ${inspect(countsInCase)}, by the engine ${inspect(inserted)}`);
}

const contentOf = (source: Source, { path, bytes, siblings: otherFiles }: HostileInput) =>
  source.gather ? { ...otherFiles, [path]: bytes } : bytes;

interface Outcome {
  readonly reading: GrowingReading;
  readonly batches: readonly RowBatch[];
  readonly problem: Problem | null;
}

async function read(source: Source, input: HostileInput, folder: string, piece?: number): Promise<Outcome> {
  const reading = emptyReading();
  const batches: RowBatch[] = [];
  const content = contentOf(source, input);
  try {
    for await (const batch of source.read(inputOf(content, { folder, ...(piece ? { piece } : {}) }))) {
      addBatch(reading, batch);
      batches.push(batch);
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { reading, batches, problem: error.problem };
  }
  return { reading, batches, problem: null };
}

/** The first row, remark or entity that only one of two readings has. */
function difference(one: ReturnType<typeof comparable>, other: ReturnType<typeof comparable>): string {
  const lines = [one, other].map(({ rows, entities, remarks, problem }) =>
    [...Object.values(rows).flat(), ...entities, ...remarks, problem].map((it) =>
      inspect(it, { breakLength: Infinity }),
    ),
  ) as [string[], string[]];
  const at = lines[0].findIndex((line, i) => line !== lines[1][i]);
  return lines.map((list) => (list[at] ?? 'nothing').slice(0, 300)).join(' <> ');
}

const comparable = ({ reading: { rows, entities, remarks }, problem }: Pick<Outcome, 'reading' | 'problem'>) => ({
  // An excerpt shows what had come so far.
  rows: { ...rows, reject: rows.reject.map(({ excerpt, ...reject }) => reject) },
  entities,
  remarks,
  // A message may quote where a reader gave up.
  problem: problem?.code,
});
