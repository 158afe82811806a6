import { cp, mkdir, open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { randomFrom } from '../test/support/otlp-rows.ts';
import { faultline, isTrace, type Ran, verdictOf } from './faultline.ts';
import { intactCase } from './intact-case.ts';
import type { Endurance, Outcome } from './options.ts';

/** Of which half is tried on the case's file and half on the bundle's. */
const TRIES = 200;

type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly bytes: readonly number[] }
  | { readonly kind: 'zero'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number };

/** Expected of a command on a damaged file: it reports the damage in one line, or works normally. */
export type Judgement = 'noticed' | 'harmless' | 'trace' | 'wrong reason' | 'other verdict';

/** Random flips, zeroed blocks and cuts of a case's database and of a bundle. */
export async function damage({ seed, share, folder, print }: Endurance): Promise<Outcome> {
  const random = randomFrom(seed);
  const whole = await prepare(folder, share);
  const counts = new Map<string, number>();
  const failures: string[] = [];
  const tries = Math.max(10, Math.round(TRIES * share));
  for (let number = 0; number < tries; number++) {
    const target = number % 2 === 0 ? whole.case : whole.bundle;
    const size = (await stat(target.file)).size;
    const done = damageOf(size, random);
    const judged = await attempt(target, done, join(folder, `try-${number}`));
    const key = `${target.what}: ${judged.judgement}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (judged.judgement !== 'noticed' && judged.judgement !== 'harmless')
      failures.push(`seed ${seed}, ${target.what} ${placeOf(done)}: ${judged.judgement}: ${judged.why}`);
    if ((number + 1) % 20 === 0) print(`damage: ${number + 1} of ${tries}`);
  }
  return { figures: [...counts].sort().map(([what, count]) => `${what} ${count}`), failures };
}

interface Target {
  readonly what: 'case' | 'bundle';
  /** What is copied. */
  readonly path: string;
  /** In it, what is damaged. */
  readonly file: string;
  readonly verdict: string;
}

async function prepare(folder: string, share: number): Promise<{ readonly case: Target; readonly bundle: Target }> {
  const { path } = await intactCase(join(folder, 'demo'), share);
  const bundle = join(folder, 'demo.flb');
  await faultline(['export', path, '--bundle', bundle]);
  const [ofCase, ofBundle] = [await verdictOf(path), await verdictOf(bundle)];
  if (ofCase.verdict === null || ofCase.verdict !== ofBundle.verdict)
    throw new Error(`no case to damage: ${ofCase.ran.err}${ofBundle.ran.err}`);
  const { verdict } = ofCase;
  return {
    case: { what: 'case', path, file: join(path, 'case.duckdb'), verdict },
    bundle: { what: 'bundle', path: bundle, file: bundle, verdict },
  };
}

function damageOf(size: number, random: () => number): Damage {
  // The first blocks hold headers and the last the catalog: they are tried as often as all of the rest.
  const place = random();
  const at = Math.floor(
    place < 0.25
      ? random() * Math.min(size, 32768)
      : place < 0.5
        ? size - random() * Math.min(size, 1 << 20)
        : random() * size,
  );
  const kind = random();
  if (kind < 0.6) {
    const bytes = Array.from({ length: 1 + Math.floor(random() * 16) }, () => 1 + Math.floor(random() * 255));
    return { kind: 'flip', at: Math.max(0, Math.min(at, size - bytes.length)), bytes };
  }
  if (kind < 0.8) return { kind: 'zero', at, length: 1 + Math.floor(random() * 8192) };
  return { kind: 'cut', at };
}

const placeOf = (done: Damage): string =>
  done.kind === 'flip'
    ? `flip of ${done.bytes.length} bytes at ${done.at}`
    : done.kind === 'zero'
      ? `zeros of ${done.length} bytes at ${done.at}`
      : `cut at ${done.at}`;

async function apply(file: string, done: Damage): Promise<void> {
  if (done.kind === 'cut') return truncate(file, done.at);
  const handle = await open(file, 'r+');
  try {
    const length = done.kind === 'flip' ? done.bytes.length : done.length;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, done.at);
    const changed = done.kind === 'flip' ? buffer.map((byte, i) => byte ^ done.bytes[i]!) : Buffer.alloc(bytesRead);
    await handle.write(changed, 0, bytesRead, done.at);
  } finally {
    await handle.close();
  }
}

async function attempt(
  target: Target,
  done: Damage,
  folder: string,
): Promise<{ readonly judgement: Judgement; readonly why: string }> {
  await mkdir(folder);
  try {
    const path = join(folder, target.what === 'case' ? 'try.faultline' : 'try.flb');
    await cp(target.path, path, { recursive: true });
    await apply(target.what === 'case' ? join(path, 'case.duckdb') : path, done);
    const { ran, verdict } = await verdictOf(path);
    const info = await faultline(['info', path, '--json']);
    // What reads every row of it.
    const every = await faultline(['export', path, '--parquet', join(folder, 'out')]);
    const repaired = target.what === 'case' ? [await faultline(['repair', path])] : [];
    const all = [ran, info, every, ...repaired];
    for (const one of all) if (isTrace(one)) return { judgement: 'trace', why: firstLines(one) };
    for (const one of all)
      if (one.code !== 0 && !isReason(one, target.what)) return { judgement: 'wrong reason', why: firstLines(one) };
    if (verdict !== null && verdict !== target.verdict) return { judgement: 'other verdict', why: '' };
    return { judgement: all.some(({ code }) => code !== 0) ? 'noticed' : 'harmless', why: '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a line reports the damage, with a hint. */
const isReason = ({ err }: Ran, what: Target['what']): boolean =>
  (what === 'case'
    ? /damaged|no part of this case can be recovered/
    : /damaged|no bundle|not a bundle|was changed|no zip/i
  ).test(err) && !/another Faultline|newer Faultline/.test(err);

const firstLines = ({ err, code, signal }: Ran): string =>
  `${signal ?? code} ${err.split('\n').slice(0, 3).join(' | ').slice(0, 400)}`;
