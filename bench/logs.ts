import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLogIndex } from '../src/core/analysis/logs/log-index.ts';
import { templateFigures } from '../src/core/analysis/logs/template-figures.ts';
import { prepareCase } from '../src/core/store/case-file/case-file.ts';
import { createReader } from '../src/core/store/facts/reader.ts';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { perSecond, print, thousands, timed } from './figures.ts';
import { START_NS } from './span-case.ts';

const SIZES = [100_000, 1_000_000, 4_000_000];
const HOUR_S = 3600;

/** The log of an hour: read and mined once, then asked for its templates; and how long the thread is held meanwhile. */
export async function benchLogs(): Promise<void> {
  for (const size of SIZES) {
    const parent = await mkdtemp(join(tmpdir(), 'faultline-logs-'));
    try {
      await measure(join(parent, 'logs.faultline'), size);
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  }
}

async function measure(folder: string, size: number): Promise<void> {
  const { engine } = await openCaseFolder(folder, { create: true });
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  await session.execute(records(size));
  const before = process.memoryUsage().rss;
  const longestBlock = measureLongestBlock();
  const read = await timed(() => readLogIndex(createReader(session)));
  const longest = longestBlock();
  const { count, share, texts } = read.value;
  const grown = (process.memoryUsage().rss - before) / 1e6;
  print(
    `templates of ${thousands(size)} log records`,
    `${Math.round(read.ms)} ms`,
    `${thousands(perSecond(count, read.ms))} read a second, 1 of ${share}; ${texts.length} templates; + ${grown.toFixed(0)} MB; thread held ${Math.round(longest)} ms at most`,
  );
  const window = { from_s: 1800, to_s: 2100, since_s: 1800, resources: null, buckets: 60 };
  const timedFigures = await timed(async () => templateFigures(read.value, window));
  const fresh = timedFigures.value.templates.filter(({ novelty }) => novelty === 'new').length;
  print('  templates of five minutes', `${Math.round(timedFigures.ms)} ms`, `${fresh} new of 1 that is`);
  session.close();
  await engine.close();
}

/** Milliseconds for which nothing else could run, at most. */
function measureLongestBlock(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Twelve kinds of lines full of numbers and ids, and one that is new after half an hour. */
const records = (size: number): string => `
  insert into source values (1, 'bench', 'bench', '', 0, 0, ${START_NS}, ${START_NS + BigInt(HOUR_S) * 1_000_000_000n}, 0, 0, '{}', 0, '[]');
  insert into entity select i::integer, 1, 'service', 'service-' || i, null from range(20) t(i);
  insert into canonical select i::integer, i::integer from range(20) t(i);
  insert into resource select i::integer, 1, (i % 20)::integer, '{"service.name":"service-' || (i % 20) || '"}', null from range(60) t(i);
  insert into log select 1, ${START_NS} + (i * ${HOUR_S}e9 / ${size})::bigint, 0, case when hash(i) % 50 = 0 then 17 when hash(i) % 9 = 0 then 13 else 9 end,
    null, null, (hash(i * 3) % 60)::integer, null, 0, 0, 0, 0,
    case when i > ${size / 2} and hash(i * 11) % 500 = 0 then 'link ' || (i % 8) || ' of switch-' || (hash(i) % 16) || ' went down' else
    ['GET', 'POST', 'PUT'][1 + (hash(i * 5) % 3)::bigint] || ' /v1/models/' || (hash(i * 7) % 40) || '/completions ' ||
    ['served', 'queued', 'retried', 'dropped'][1 + (hash(i) % 4)::bigint] || ' in ' || (i % 1000) || '.' || (i % 7) || ' ms, request ' || printf('%016x', hash(i)) || ' user ' || (hash(i * 13) % 100000) end,
    null, 0 from range(${size}) t(i);`;
