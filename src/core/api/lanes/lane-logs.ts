import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { Reading, Wanted } from './lane-target.ts';

/** Log records by severity over the window. */
export async function readLogs(
  wanted: readonly Wanted<'logs'>[],
  { session, input: { start_ns, end_ns, buckets }, answer, signal }: Reading,
): Promise<void> {
  const empty = (): Int32Array<ArrayBuffer> => new Int32Array(buckets);
  const owner = new Map(
    wanted.flatMap(({ lane, target }) => {
      const counts = { error: empty(), warning: empty(), other: empty() };
      answer(lane, { kind: 'logs', lane, ...counts });
      return target.resources.map((resource) => [resource, counts] as const);
    }),
  );
  const list = listText(owner.keys());
  const found = await session.query(queries.laneLogs, [start_ns, end_ns, list, BigInt(buckets)], signal);
  for (const { resource, bucket, ...counts } of rowsOf<LogRow>(found)) {
    const own = owner.get(resource);
    if (!own) continue;
    for (const name of ['error', 'warning', 'other'] as const) own[name][bucket] = own[name][bucket]! + counts[name];
  }
}

interface LogRow {
  readonly resource: number;
  readonly bucket: number;
  readonly error: number;
  readonly warning: number;
  readonly other: number;
}
