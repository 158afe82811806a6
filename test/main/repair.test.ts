import { copyFile, cp, open, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { demoCase } from '../support/demo-case.ts';

/** The demo as a case, and where it lies. */
async function demo(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  await demoCase(folder);
  return { folder, path: join(folder, 'demo.faultline') };
}

const database = (path: string): string => join(path, 'case.duckdb');

async function flip(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+');
  const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, at);
  await handle.write(
    buffer.map((byte) => byte ^ 0xff),
    0,
    8,
    at,
  );
  await handle.close();
}

interface Repaired {
  readonly info: { readonly sources: readonly { name: string; rows: Record<string, number>; remarks: string[] }[] };
  readonly lost: readonly { name: string; digest: string }[];
}

test('of a case with damaged rows every source that reads is copied, the others are named, and the evidence stays as it is', async () => {
  const { folder, path } = await demo();
  const before = JSON.parse((await faultline('info', path, '--json')).out) as Repaired['info'];
  const size = (await readFile(database(path))).length;
  const outcomes = { whole: 0, part: 0, none: 0 };
  // Across the file: some places hold rows of one source, some what all of them need, some nothing.
  for (let step = 1; step < 16; step++) {
    const damaged = join(folder, `damaged-${step}.faultline`);
    await cp(path, damaged, { recursive: true });
    await flip(database(damaged), Math.floor((size * step) / 16));
    const evidence = await readFile(database(damaged));
    const { code, out, err } = await faultline('repair', damaged, '--json');
    expect((await readFile(database(damaged))).equals(evidence)).toBe(true);
    if (code !== 0) {
      expect([code, err]).toEqual([1, expect.stringMatching(/^faultline: no part of this case can be recovered/)]);
      outcomes.none++;
      continue;
    }
    const { info, lost } = JSON.parse(out) as Repaired;
    const gone = new Set(lost.map(({ name }) => name));
    for (const source of info.sources) {
      const was = before.sources.find(({ name }) => name === source.name);
      if (gone.has(source.name))
        expect([source.rows, source.remarks[0]]).toEqual([{}, expect.stringContaining('import its file again')]);
      else expect(source.rows).toEqual(was?.rows);
    }
    expect(info.sources).toHaveLength(before.sources.length);
    const repaired = join(folder, `damaged-${step}-repaired.faultline`);
    expect((await faultline('correlate', repaired)).code).toBe(0);
    if (lost.length === 0) {
      outcomes.whole++;
      continue;
    }
    outcomes.part++;
    // What was lost comes back from its file, and then the case is what it was.
    for (const { name } of lost)
      expect((await faultline('import', repaired, join(folder, 'files', name))).code, name).toBe(0);
    const after = JSON.parse((await faultline('info', repaired, '--json')).out) as Repaired['info'];
    const rowsOf = (sources: Repaired['info']['sources']) =>
      sources
        .filter(({ rows }) => Object.keys(rows).length > 0)
        .map(({ name, rows }) => JSON.stringify([name, rows]))
        .sort();
    expect(rowsOf(after.sources)).toEqual(rowsOf(before.sources));
  }
  expect(outcomes.part).toBeGreaterThan(0);
});

test('notes of the investigator are copied, and nothing is written where a case lies already', async () => {
  const { folder, path } = await demo();
  const core = await openTestCore(path);
  const note = {
    id: 'n1',
    kind: 'note' as const,
    text: 'it was the PDU',
    target: null,
    at_ns: null,
    until_ns: null,
    made_at_ns: 1n,
  };
  await core.api['annotations.change']({ put: [note] });
  await core.close();
  expect(await faultline('repair', path, '--out', join(folder, 'new.faultline'))).toMatchObject({
    code: 0,
    out: expect.stringContaining('5 of 5 sources recovered'),
  });
  const there = await openTestCore(join(folder, 'new.faultline'));
  expect(await there.api['annotations.list']({})).toEqual([note]);
  await there.close();
  expect(await faultline('repair', path, '--out', join(folder, 'new.faultline'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('already'),
  });
});

/** Where the blocks of a file begin, and how long they are. */
const [FIRST_BLOCK, BLOCK_BYTES] = [3 * 4096, 256 * 1024];

test('of notes that are damaged in part, those that read are copied and the others counted', async () => {
  const { folder, path } = await demo();
  const query = async <T>(sql: string): Promise<T> => {
    const engine = await openNativeEngine(database(path));
    const session = await engine.session();
    const { columns } = await session.query(sql);
    session.close();
    await engine.close();
    return columns[0]?.[0] as T;
  };
  // Long ones, which take several blocks.
  await query(`insert into annotation
    select 'n-' || i, 'note', 'the PDU''s ' || (select string_agg(md5((i * 1000 + j)::varchar), ' ') from range(300) r(j)), null, null, i, '{"target": null}'
    from range(200) s(i)`);
  const blocks = await query<readonly bigint[]>(
    `select additional_block_ids from pragma_storage_info('annotation') where column_name = 'text' and segment_type = 'VARCHAR'`,
  );
  expect(blocks.length).toBeGreaterThan(2);
  await flip(database(path), FIRST_BLOCK + Number(blocks.at(-1)) * BLOCK_BYTES + 1000);
  const { code, out, err } = await faultline('repair', path);
  const lost = Number(/^lost: (\d+) unreadable annotations/m.exec(out)?.[1]);
  expect([code, err, lost > 0 && lost < 200]).toEqual([0, '', true]);
  expect(out).toContain('5 of 5 sources recovered');
  const there = await openTestCore(join(folder, 'demo-repaired.faultline'));
  const notes = await there.api['annotations.list']({});
  await there.close();
  expect(notes).toHaveLength(200 - lost);
  expect(notes[0]).toMatchObject({
    kind: 'note',
    text: expect.stringMatching(/^the PDU's [0-9a-f ]{9899}$/),
    target: null,
  });
});

test('a case of an older schema is repaired as well', async () => {
  const { path } = await demo();
  const engine = await openNativeEngine(database(path));
  const session = await engine.session();
  await session.execute(
    "drop view outages; drop table outage; update meta set value = '5' where key = 'schema_version'",
  );
  session.close();
  await engine.close();
  expect(await faultline('repair', path)).toMatchObject({
    code: 0,
    out: expect.stringContaining('5 of 5 sources recovered'),
  });
});

test('a case of which nothing reads, or that is none, is one clear line and leaves nothing', async () => {
  const { folder, path } = await demo();
  await truncate(database(path), 5000);
  const { code, err } = await faultline('repair', path);
  expect([code, err.split('\n')[0]]).toEqual([1, expect.stringContaining('no part of this case can be recovered')]);
  await copyFile(join(path, 'case.duckdb'), join(folder, 'file.faultline'));
  expect((await faultline('repair', join(folder, 'file.faultline'))).code).toBe(1);
  expect((await readdir(folder)).filter((name) => name.includes('repaired'))).toEqual([]);
});
