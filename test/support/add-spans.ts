import { openCaseFolder } from '../../src/main/engine/case-folders.ts';

/** Adds spans like the first of a case, more than a file is written for: requests of three, and children of one. */
export async function addSpans(
  path: string,
  {
    base_ns,
    requests,
    children = 0,
  }: { readonly base_ns: bigint; readonly requests: number; readonly children?: number },
): Promise<void> {
  const { engine } = await openCaseFolder(path, { create: false });
  const session = await engine.session();
  const rest =
    's.name, s.service, s.resource, s.scope, 1, 0, 0, null, null, null, 0 from (select * from span limit 1) s';
  await session.execute(`
    insert into span select s.source_id, r.i + 1, r.i, r.i * 4 + c.i + 1, case when c.i = 0 then 0 else r.i * 4 + c.i end,
      ${base_ns} + r.i * 100000 + c.i * 1000, ${base_ns} + r.i * 100000 + c.i * 1000 + 9000 - c.i * 2000 + r.i % 7 * 100,
      ${rest}, range(${requests}) r(i), range(3) c(i);
    insert into span select s.source_id, 77, 77, r.i + 1, case when r.i = 0 then 0 else 1 end, ${base_ns} + r.i, ${base_ns} + r.i + 10,
      ${rest}, range(${children}) r(i)`);
  session.close();
  await engine.close();
}
