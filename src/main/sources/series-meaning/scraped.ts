import type { Alias, EntityKind } from '../../../model/entity.ts';
import type { EdgeKind } from '../../../model/topology.ts';

/** Types of `# TYPE` lines of both text formats; `unknown` without a declaration. */
export type ScrapedType =
  | 'counter'
  | 'gauge'
  | 'histogram'
  | 'gaugehistogram'
  | 'summary'
  | 'info'
  | 'stateset'
  | 'unknown';

export type Labels = ReadonlyMap<string, string>;

/** One series as named by a scrape or a query. */
export interface ScrapedSeries {
  /** Without `_bucket`, `_sum`, `_count` for histograms and summaries. */
  readonly name: string;
  readonly labels: Labels;
  readonly type: ScrapedType;
  /** From `# UNIT`; '' when not declared. */
  readonly unit: string;
  readonly help: string;
}

/** An entity in the labels. */
export interface Subject {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases?: readonly Alias[];
  readonly attributes?: Readonly<Record<string, string | undefined>>;
}

export interface Relation {
  readonly from: Subject;
  readonly kind: EdgeKind;
  readonly to: Subject;
}

/** Entities and names from labels. */
export interface Naming {
  readonly subject: Subject;
  readonly relations: readonly Relation[];
  /** Labels that became part of names and so do not distinguish series. */
  readonly used: ReadonlySet<string>;
}

/** Context of the file, for series whose labels name no entity. */
export interface Surroundings {
  /** The scraped machine, if known. */
  readonly host: string | undefined;
  /** Entity of series whose labels name none. */
  readonly fallback: () => Subject;
  /** Called for each series that did get it. */
  readonly onUnnamed?: (series: string) => void;
}
