import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { perSecond, thousands } from './figures.ts';
import { importFile } from './import.ts';
import { options } from './options.ts';
import { generateSpans } from './otlp-spans.ts';

const built = join(import.meta.dirname, '../out');
/** Beside the program itself, so that they find its packages. */
const copies = join(built, 'curves');
const SPANS = Number(options.spans ?? 600_000);
const RUNS = 2;
const KB = 1024;
const MB = 1024 * KB;

/** A constant of the import, as the build writes it, and what it might have been instead. */
interface Curve {
  readonly name: string;
  /** In which file of the sources it stands, with the curve as its reason. */
  readonly place: string;
  readonly written: RegExp;
  readonly values: readonly number[];
  readonly show: (value: number) => string;
}

const bytes = (value: number): string => (value < MB ? `${value / KB} KB` : `${value / MB} MB`);
const declared = (name: string): RegExp => new RegExp(`(?<=(?:var|const|let) ${name} = )[^;]+(?=;)`, 'g');
const curves: readonly Curve[] = [
  {
    name: 'PIECE_BYTES',
    place: 'src/main/sources/files/cut.ts',
    written: declared('PIECE_BYTES'),
    values: [512 * KB, MB, 4 * MB, 16 * MB, 64 * MB],
    show: bytes,
  },
  {
    name: 'MOST_WAITING_BYTES',
    place: 'src/core/store/writer/row-inserts.ts',
    written: declared('MOST_WAITING_BYTES'),
    values: [4 * MB, 16 * MB, 32 * MB, 64 * MB, 256 * MB],
    show: bytes,
  },
  {
    name: 'BATCH_ROWS',
    place: 'src/model/storage/source.ts',
    // The build writes the number itself.
    written: /\b20480\b/g,
    values: [2048, 5120, 10_240, 20_480, 40_960, 81_920],
    show: String,
  },
  {
    name: 'READERS',
    place: 'src/main/sources/shared-reading.ts',
    written: declared('READERS'),
    values: [1, 2, 3, 4],
    show: String,
  },
  {
    name: 'MOST_THREADS',
    place: 'src/main/engine/insert-rows.ts',
    written: declared('MOST_THREADS'),
    values: [1, 2, 3, 4],
    show: String,
  },
];

/**
 * The curve behind each constant: rate and peak memory of one import with every value, by copies of the built program in
 * which it is another. Values are tried in turn, so that a machine that grows slower does not favour the first.
 */
export async function benchCurves(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-curves-'));
  try {
    await rm(copies, { recursive: true, force: true });
    const file = join(folder, 'spans.binpb');
    await writeFile(file, generateSpans(SPANS).protobuf);
    console.log(`${thousands(SPANS)} spans as protobuf into a case; best of ${RUNS}, and the most memory`);
    for (const curve of curves) await measure(curve, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(copies, { recursive: true, force: true });
  }
}

async function measure({ name, place, written, values, show }: Curve, file: string): Promise<void> {
  const programs = await Promise.all(values.map((value) => changed(`${name}-${value}`, written, value)));
  const best = values.map(() => ({ rate: 0, peak_mb: 0 }));
  for (let run = 0; run < RUNS; run++)
    for (const [i, program] of programs.entries()) {
      const { ms, rows, peak_mb } = importFile(dirname(file), file, undefined, program);
      if (rows !== SPANS) throw new Error(`${rows} rows of ${SPANS} with ${name} ${values[i]}`);
      const { rate, peak_mb: most } = best[i]!;
      best[i] = { rate: Math.max(rate, perSecond(rows, ms)), peak_mb: Math.max(most, peak_mb) };
    }
  console.log(`\n${name} (${place})`);
  for (const [i, { rate, peak_mb }] of best.entries())
    console.log(`${show(values[i]!).padStart(10)} ${thousands(rate).padStart(9)} spans/s ${Math.round(peak_mb)} MB`);
}

/** A copy of the built program in which the constant has this value; answers its command line. */
async function changed(name: string, written: RegExp, value: number): Promise<string> {
  const copy = join(copies, name);
  await cp(join(built, 'main'), copy, { recursive: true });
  let places = 0;
  for (const entry of await readdir(copy, { recursive: true })) {
    if (!entry.endsWith('.js')) continue;
    const text = await readFile(join(copy, entry), 'utf8');
    places += text.match(written)?.length ?? 0;
    await writeFile(join(copy, entry), text.replace(written, String(value)));
  }
  if (places === 0) throw new Error(`the build does not hold ${written}`);
  return join(copy, 'cli.js');
}
