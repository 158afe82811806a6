import type { Parsed } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';

const EARLIEST = -(2n ** 63n);
const LATEST = 2n ** 63n - 1n;
const clamped = (time: bigint): bigint => (time < EARLIEST ? EARLIEST : time > LATEST ? LATEST : time);

/** The window widened to the clocks of all data sources: rows outside are outside on every clock. */
export async function recordedWindow(session: Session, { start_ns, end_ns, clocks: shifted }: Parsed<'timeline.data'>) {
  const [clocks] = rowsOf<{ behind: bigint; ahead: bigint }>(
    await session.query(
      'select coalesce(min(clock_offset_ns), 0) as behind, coalesce(max(clock_offset_ns), 0) as ahead from source',
    ),
  );
  let { ahead, behind } = clocks ?? { ahead: 0n, behind: 0n };
  for (const { shift_ns } of shifted) {
    if (shift_ns > 0n) ahead += shift_ns;
    else behind += shift_ns;
  }
  return { first: clamped(start_ns - ahead), last: clamped(end_ns - behind) };
}
