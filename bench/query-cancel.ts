import { setTimeout as pause } from 'node:timers/promises';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import type { Session } from '../src/model/storage/engine.ts';
import { print, within } from './figures.ts';

/** Long in ways that differ for an engine to interrupt: a join, a sort, an aggregate's end, text, a large answer. */
const long: Readonly<Record<string, string>> = {
  join: 'select count(*) from span a join span b on a.start_ns < b.end_ns and a.flags = b.flags',
  sort: 'select attributes, row_number() over (order by attributes, span_id) as place from span qualify place = 1',
  quantiles:
    'select max(q) from (select trace_lo, quantile_cont(end_ns - start_ns, [0.5, 0.9, 0.99]) as q from span group by all)',
  text: "select count(*) from spans where regexp_matches(attributes, '(a|b|c|d)+x{3}y') or trace_id like '%ffffff'",
  recursion:
    'with recursive t(i) as (select 1::bigint union all select i + 1 from t where i < 1000000000) select max(i) from t',
  answer: 'select * from spans limit 3000000',
};

const AFTER_MS = [1, 400];

/** From the abort to the rejection, for every way to ask. */
export async function benchCancel(folder: string): Promise<void> {
  console.log('\ncancelling');
  const ways: readonly [string, (session: Session, sql: string, signal: AbortSignal) => Promise<unknown>][] = [
    ['query', (session, sql, signal) => session.query(sql, [], signal)],
    ['queryUntrusted', (session, sql, signal) => session.queryUntrusted(sql, 1_000_000, signal)],
    ['queryParquet', (session, sql, signal) => session.queryParquet(sql, signal)],
  ];
  const { engine } = await openCaseFolder(folder, { create: false });
  for (const [way, runQuery] of ways) {
    let worst = { ms: 0, what: 'nothing took that long' };
    let idle = { ms: 0, what: '' };
    for (const [what, sql] of Object.entries(long))
      for (const after of AFTER_MS) {
        const session = await engine.session();
        const stop = new AbortController();
        const pending = runQuery(session, sql, stop.signal).then(
          () => 'answered',
          () => 'stopped',
        );
        if ((await Promise.race([pending, pause(after)])) === undefined) {
          const from = performance.now();
          stop.abort();
          const how = await pending;
          const ms = performance.now() - from;
          if (ms > worst.ms) worst = { ms, what: `${what} after ${after} ms, ${how}` };
          await session.query('select 1');
          const free = performance.now() - from;
          if (free > idle.ms) idle = { ms: free, what: `${what} after ${after} ms` };
        }
        await pending;
        session.close();
      }
    print(`  ${way}, until the engine is idle`, `${idle.ms.toFixed(1)} ms`, idle.what);
    print(
      `  ${way}, worst of ${Object.keys(long).length * AFTER_MS.length}`,
      `${worst.ms.toFixed(1)} ms`,
      `${within(worst.ms, 200, 'ms')}; ${worst.what}`,
    );
  }
  await engine.close();
}
