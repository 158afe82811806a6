import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finished, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { writeParquetOf } from '../support/parquet-of.ts';

/** A table that takes some seconds. */
const largeTable = (file: string): Promise<void> =>
  writeParquetOf(
    file,
    `select printf('%032x', i + 1) as trace_id, printf('%016x', i + 1) as span_id, 'n' || (i % 9) as name,
      1700000000000000000 + i as start_ns, 5 as duration_ns, 'service-' || (i % 4) as service, '{"k":"' || md5(i::varchar) || '"}' as attributes
     from range(1500000) r(i)`,
  );

test('an import can be cancelled at any time while a library reads for its thread, with one line', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'spans.parquet');
  await largeTable(file);
  let cancelled = 0;
  for (let attempt = 0; attempt < 6; attempt++) {
    const path = join(folder, `case-${attempt}.faultline`);
    const child = start('import', path, file);
    const ran = finished(child);
    // Once there is a case somebody listens, on a slow machine too.
    await expect.poll(() => existsSync(path), { interval: 10 }).toBe(true);
    setTimeout(() => child.kill('SIGINT'), attempt * 250);
    const { code, out, err } = await ran;
    expect(err).not.toContain('terminate');
    // A late cancel may have no effect; a thread that exceeds its time limit is ended in any case.
    const late = code === 0 && out.includes('imported');
    expect(late || code === null || (code === 1 && err.includes('cancelled')), `${code} ${err}`).toBe(true);
    if (code === 1) cancelled++;
  }
  expect(cancelled).toBeGreaterThan(2);
});
