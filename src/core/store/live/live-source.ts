import type { RowBatch, TableName } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { NewSource } from '../writer/append.ts';
import type { EmittedEdges } from '../writer/emitted-edges.ts';
import type { LiveOutages } from './live-outages.ts';
import type { LiveSpanDirectory } from './live-span-directory.ts';

/** What the digest of a source begins with that no file is. */
export const LIVE_DIGEST = 'capture:';

/** One feed's rows, and what is known of them. */
export interface LiveSource {
  readonly id: number;
  source: NewSource;
  /** Stamped by the sender. */
  readonly isTheirs: boolean;
  readonly waiting: RowBatch[];
  readonly counts: Partial<Record<TableName, number>>;
  readonly remarks: Set<string>;
  readonly edges: EmittedEdges;
  readonly outages: LiveOutages;
  /** That have been entered. */
  readonly series: Set<number>;
  readonly spans: LiveSpanDirectory;
  first: bigint | null;
  last: bigint | null;
  /** Rows of the flush that is under way. */
  inFlight: number;
  isDirty: boolean;
  /** Already reported. */
  isAhead: boolean;
  /** In the flush that is under way. */
  hasNewCollectives: boolean;
  hasNewEvents: boolean;
}

/** `90 s`, `12 min`, `5 h`, `40 days`. */
export function lengthText(length_ns: bigint): string {
  const seconds = Number(length_ns) / 1e9;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export async function writeSource(session: Session, live: LiveSource): Promise<void> {
  const { reject: rejects = 0, ...rows } = live.counts;
  const { name, format, imported_at_ns, clock_offset_ns, clock_uncertainty_ns } = live.source;
  await session.query('insert or replace into source values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
    live.id,
    name,
    format,
    `${LIVE_DIGEST}${imported_at_ns}:${live.id}`,
    0n,
    imported_at_ns,
    live.first,
    live.last,
    clock_offset_ns,
    clock_uncertainty_ns,
    JSON.stringify(rows),
    BigInt(rejects),
    JSON.stringify([...live.remarks]),
  ]);
}
