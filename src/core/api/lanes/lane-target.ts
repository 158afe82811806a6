import type { LaneData, LaneStatistics, Parsed } from '../../../model/contract/index.ts';
import type { EntityKind } from '../../../model/entity.ts';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { EventState } from '../../../model/telemetry/event-catalog.ts';
import type { Measurements } from '../../analysis/impact/measurement-table.ts';
import type { MeasurementField } from '../../analysis/impact/measurements.ts';
import type { CaseTimeIndex } from '../../store/facts/time-index.ts';

/** A rank: its recorded id, canonical entity, and job for comparison. */
export interface JobRank {
  /** Entity id, as recorded. */
  readonly rank: number;
  /** Canonical entity. */
  readonly lane: number;
  readonly job: string;
}

/** SQL of a saved query, and which of its columns are drawn. */
export type QueryLane = Pick<AnnotationOf<'query'>, 'sql'> & NonNullable<AnnotationOf<'query'>['lane']>;

/** Quantiles that histograms have lanes of, as the view `histograms` has them. */
export const quantiles = ['p50', 'p95', 'p99'] as const;
export type Quantile = (typeof quantiles)[number];

/** Where a lane's data come from. Entities are canonical unless stated otherwise. */
export type LaneTarget =
  | { readonly kind: 'events'; readonly entity: number }
  /** Buckets of 2^shift ns and longer need not look at points; null where they must. */
  | { readonly kind: 'metric'; readonly series: readonly number[]; readonly shift: number | null }
  /** A quantile of histograms or summaries over time. */
  | { readonly kind: 'quantile'; readonly series: readonly number[]; readonly quantile: Quantile }
  /** Samples that are codes. */
  | {
      readonly kind: 'state';
      readonly series: readonly number[];
      readonly metric: string;
      readonly entityKind: EntityKind;
    }
  /** States between events. */
  | { readonly kind: 'episodes'; readonly entity: number; readonly state: EventState }
  /** Computed from spans or histograms, without rows. */
  | { readonly kind: 'measured'; readonly measurements: Measurements; readonly field: MeasurementField }
  /** By all the names that spans know the service by. */
  | { readonly kind: 'spans'; readonly services: readonly number[] }
  /** Result of a saved query, column `time` against column `value`. */
  | ({ readonly kind: 'query'; readonly isKnown: boolean } & QueryLane)
  /** One series of a metric of spans. */
  | ({ readonly kind: 'search' } & Pick<AnnotationOf<'search'>, 'query' | 'labels'>)
  | { readonly kind: 'logs'; readonly resources: readonly number[] }
  | {
      readonly kind: 'collectives';
      readonly entity: number;
      /** By all the names of this rank. */
      readonly ranks: readonly number[];
      /** Of the whole case. */
      readonly all: readonly JobRank[];
    };

/** What a lane comes to within a time. */
export type Figures = Omit<LaneStatistics, 'lane' | 'per_second'>;

export type LaneTargetOf<K extends LaneTarget['kind']> = Extract<LaneTarget, { kind: K }>;
/** A lane that was asked for. */
export interface Wanted<K extends LaneTarget['kind'] = LaneTarget['kind']> {
  readonly lane: string;
  readonly target: LaneTargetOf<K>;
}

/** How lanes of one kind are read. */
export interface Reading {
  readonly session: Session;
  readonly input: Parsed<'timeline.data'>;
  readonly answer: (lane: string, data: LaneData) => void;
  readonly signal: AbortSignal | undefined;
  /** Undefined while they are not known: then the database counts. */
  readonly timeIndex: CaseTimeIndex | undefined;
}
