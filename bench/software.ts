import { logTemplates } from '../src/core/analysis/software/log-templates.ts';
import { softwareSuspects } from '../src/core/analysis/software/software-suspects.ts';
import { TemplateMiner } from '../src/core/analysis/software/template-miner.ts';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { createReader, type Phases } from '../src/core/store/facts/reader.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { perSecond, print, thousands, timed } from './figures.ts';

const SPANS = 1_000_000;
const LINES = 200_000;
const START_NS = 1_767_225_600_000_000_000n;
const MINUTES = 15n;
const minute = (n: bigint): bigint => START_NS + n * 60_000_000_000n;
const PHASES: Phases = {
  before_from_ns: minute(0n),
  before_to_ns: minute(10n),
  window_from_ns: minute(10n),
  window_to_ns: minute(MINUTES),
};

/** A quarter of an hour of 20 services: traces of ten spans, and log lines of four kinds full of numbers. */
export async function benchSoftware(): Promise<void> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  await fill(session);
  const reader = createReader(session);
  const shifts = await timed(() => reader.spanShifts(PHASES));
  print(
    `self time and errors of ${thousands(SPANS)} spans`,
    `${Math.round(shifts.ms)} ms`,
    'half of the traces looked at',
  );
  const steps = await timed(() => reader.spanSteps(PHASES));
  print('  steps left out', `${Math.round(steps.ms)} ms`, '');
  const logs = await timed(() => logTemplates(reader.logBodies(PHASES), PHASES, String));
  const rate = `${thousands(perSecond(LINES, logs.ms))} lines/s`;
  print(`log templates of ${thousands(LINES)} lines`, rate, `${logs.value.templates} templates`);
  const mined = await timed(async () => mine(LINES));
  print('  the miner alone', `${thousands(perSecond(LINES, mined.ms))} lines/s`, `${mined.value} templates`);
  const all = await timed(() => softwareSuspects(reader, { at_ns: minute(10n) }));
  print('software suspects of both, in all', `${Math.round(all.ms)} ms`, `${all.value.suspects.length} suspects`);
  session.close();
  await engine.close();
}

function mine(lines: number): number {
  const miner = new TemplateMiner();
  for (let i = 0; i < lines; i++)
    miner.add(`request ${i} of ${'abcdef'[i % 6]}${i % 977} from 10.0.0.${i % 255} took ${i % 91} ms, ${'xyz'[i % 3]}`);
  return miner.count;
}

async function fill(session: Session): Promise<void> {
  const nanoseconds = Number(MINUTES) * 60e9;
  const traceStart = `${START_NS} + (i // 10) * ${Math.round(nanoseconds / (SPANS / 10))}`;
  await session.execute(`
    insert into source values (1, 'bench', 'bench', '', 0, 0, ${START_NS}, ${minute(MINUTES)}, 0, 0, '{}', 0, '[]');
    insert into entity select i::integer, 1, 'service', 'service-' || i, null from range(20) t(i);
    insert into canonical select i::integer, i::integer from range(20) t(i);
    insert into resource select i::integer, 1, (i % 20)::integer,
      '{"service.name":"service-' || (i % 20) || '","k8s.pod.name":"pod-' || i || '"}', null from range(60) t(i);
    insert into name select i::integer, 'operation-' || i from range(200) t(i);
    insert into span select 1, hash(i // 10), i // 10 + 1, i + 1, case when i % 10 = 0 then 0 else i - i % 3 - i % 10 // 4 end,
      ${traceStart} + (i % 10) * 1000000, ${traceStart} + 21000000 - (i % 10) * 500000 + (hash(i) % 1000000)::bigint,
      ((i % 10) * 20 + (i // 10) % 20)::integer, ((i % 10) * 2)::integer, ((i % 10) * 2 + 20 * (hash(i) % 3))::integer,
      null, 2, 0, 0, null, null, null, 0 from range(${SPANS}) t(i);
    insert into span_count select 1, start_ns >> 27, count(*) from span group by all;
    insert into log select 1, ${START_NS} + i * ${Math.round(nanoseconds / LINES)}, 0, 9, null, null, (i % 60)::integer, null,
      0, 0, 0, 0, 'request ' || i || ' of user ' || hash(i) || ' took ' || (i % 1000) || ' ms, state=' ||
      ['ready', 'busy', 'idle', 'done'][1 + i % 4], null, 0 from range(${LINES}) t(i);`);
}
