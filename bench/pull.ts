import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableKinds } from '../src/main/archives/clickhouse/tables.ts';
import { megabytes, perSecond, print, thousands, within } from './figures.ts';
import { FROM_NS, insert, run, STEP, startFront } from './fleet-rows.ts';
import { importFile } from './import.ts';
import { type IntoCase, intoCase } from './into-case.ts';
import { options } from './options.ts';

const SPANS = 10_000_000;
/** What a pull may lose against the import of the same rows from a file. */
const LEAST_SHARE = 0.7;

/** A day of spans from ClickHouse (chdb) into a case, beside the import of the same rows from a Parquet file that ClickHouse wrote; `--spans`. */
export async function benchPull(): Promise<void> {
  const spans = Number(options.spans ?? SPANS);
  const folder = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const front = await startFront();
  try {
    for (let from = 0; from < spans; from += STEP) await run(front.url, insert(from, Math.min(STEP, spans - from)));
    const file = join(folder, 'spans.parquet');
    await run(
      front.url,
      `SELECT ${tableKinds.traces.columns} FROM fleet.otel_traces ORDER BY Timestamp INTO OUTFILE '${file}' FORMAT Parquet SETTINGS output_format_parquet_string_as_string = 1`,
    );
    const plan = join(folder, 'fleet.yaml');
    await writeFile(
      plan,
      `kind: clickhouse\nurl: ${front.url}\ndatabase: fleet\nrequests_per_s: 1000\ntimeout_s: 600\n`,
    );
    const time = [FROM_NS, FROM_NS + 86_400_000_000_000n].map((at) => new Date(Number(at / 1_000_000n)).toISOString());
    const imported = importFile(folder, file);
    const pulled = intoCase(folder, (path) => ['pull', path, plan, '--from', time[0]!, '--to', time[1]!]);
    console.log(
      `${thousands(spans)} spans, ${megabytes((await stat(file)).size)} as Parquet; load ${loadavg()[0]?.toFixed(1)} of this machine`,
    );
    printRate('import from a Parquet file', imported);
    printRate('pull from ClickHouse', pulled);
    if (pulled.rows !== imported.rows) throw new Error(`${pulled.rows} rows were pulled of ${imported.rows}`);
    const share = imported.ms / pulled.ms;
    const verdict = share >= LEAST_SHARE ? 'within' : 'OVER';
    print('  pull beside import', `x ${share.toFixed(2)}`, `${verdict} the least of ${LEAST_SHARE}`);
    print('  most memory of the pull', `${Math.round(pulled.peak_mb)} MB`, within(pulled.peak_mb, 1500, 'MB'));
  } finally {
    front.child.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

const printRate = (what: string, { rows, ms, processor_us, peak_mb }: IntoCase): void =>
  print(
    what,
    `${thousands(perSecond(rows, ms))} spans/s`,
    `${(ms / 1000).toFixed(1)} s, processor ${(processor_us / 1e6).toFixed(1)} s, ${Math.round(peak_mb)} MB resident at most`,
  );
