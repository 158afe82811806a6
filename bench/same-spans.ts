import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { storeSpansOnce } from '../src/core/store/writer/same-spans.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import type { Engine, Session } from '../src/model/storage/engine.ts';
import { print, thousands, timed } from './figures.ts';

const SPANS_IN_CASE = 5_000_000;
const NEW = 1_000_000;
const PER_TRACE = 8;
const START = 1_700_000_000_000_000_000n;
const STEP_NS = 1_000_037n;

/** Spans number `from` and on; another `salt` makes other traces at the same times. */
async function insert(session: Session, source: number, from: number, count: number, salt: number): Promise<void> {
  const trace = `(i // ${PER_TRACE}) * ${salt}`;
  await session.execute(`insert into span
    select ${source}, hash(${trace}), hash(${trace} + 1), hash(i * ${salt} + 7), hash(i), ${START} + i * ${STEP_NS},
      ${START} + i * ${STEP_NS} + 5000000, 1, 1, 1, 1, 2, 0, 0, null, null, '{"http.request.method":"GET","i":' || i || '}', 0
    from range(${from}, ${from + count}) t(i)`);
}

const at = (span: number): bigint => START + BigInt(span) * STEP_NS;

/** What storing spans once adds to the commit of a million, in a case of five million. */
export async function benchSameSpans(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const engine = await openNativeEngine(join(folder, 'case.duckdb'));
  try {
    await prepareCase(engine, 'bench');
    const session = await engine.session();
    await insert(session, 1, 0, SPANS_IN_CASE, 1);
    await session.query(
      `insert into source values (1, 'held', 'bench', '', 0, 0, $1, $2, 0, 0, '{"span":${SPANS_IN_CASE}}', 0, '[]')`,
      [at(0), at(SPANS_IN_CASE)],
    );
    session.close();
    await engine.checkpoint();
    console.log(
      `\n${thousands(NEW)} new spans against ${thousands(SPANS_IN_CASE)}: what storing spans once takes at the commit\n`,
    );
    await measure(engine, 'no time in common', SPANS_IN_CASE + 10, 3);
    await measure(engine, 'same times, no trace in common', SPANS_IN_CASE / 2, 3);
    await measure(engine, 'half of them there', SPANS_IN_CASE - NEW / 2, 1);
    await measure(engine, 'all of them there', SPANS_IN_CASE / 2, 1);
    await measure(engine, 'all of them twice in the file', SPANS_IN_CASE + 10, 3, 2);
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(engine: Engine, what: string, from: number, salt: number, copies = 1): Promise<void> {
  const session = await engine.session();
  await session.execute('begin transaction');
  for (let copy = 0; copy < copies; copy++) await insert(session, 2, from, NEW / copies, salt);
  const counts = { span: NEW };
  const { value, ms } = await timed(() =>
    storeSpansOnce(session, { sourceId: 2, counts, first: at(from), last: at(from + NEW) }),
  );
  await session.execute('rollback');
  session.close();
  print(what, `${Math.round(ms)} ms`, `${thousands(value.counts.span ?? 0)} spans stored`);
}
