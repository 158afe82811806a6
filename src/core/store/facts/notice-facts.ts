import type { EntityKind } from '../../../model/entity.ts';
import type { SqlValue } from '../../../model/storage/engine.ts';
import { queries } from '../queries/index.ts';

/** The median of a twelfth of a stretch of time, of one series. */
export interface RecentBlock {
  readonly series_id: number;
  readonly metric: string;
  readonly unit: string;
  /** JSON object text, or ''. */
  readonly attributes: string;
  readonly entity: number;
  readonly entity_kind: EntityKind;
  readonly entity_id: string;
  /** Of the stretch. */
  readonly seconds: number;
  /** Before the end: negative. */
  readonly at_s: number;
  readonly value: number;
}

export interface NoticeReader {
  /** In order of series, stretch and time. */
  recentBlocks(metrics: readonly string[], at_ns: bigint, stretches_s: readonly number[]): Promise<RecentBlock[]>;
}

type RunQuery = <T>(sql: string, values?: readonly SqlValue[]) => Promise<T[]>;

export const createNoticeReader = (runQuery: RunQuery): NoticeReader => ({
  recentBlocks: (metrics, at_ns, stretches_s) =>
    runQuery(queries.recentBlocks, [metrics.join(), at_ns, stretches_s.join()]),
});
