import type { Alias, EntityKind } from '../../../model/entity.ts';
import type { EdgeKind } from '../../../model/topology.ts';

/** Types of `# TYPE` lines of both text formats; `unknown` where nothing declares one. */
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

/** One series as a scrape or a query names it. */
export interface ScrapedSeries {
  /** Without `_bucket`, `_sum`, `_count` for histograms and summaries. */
  readonly name: string;
  readonly labels: Labels;
  readonly type: ScrapedType;
  /** From `# UNIT`; '' when not declared. */
  readonly unit: string;
  readonly help: string;
}

/** A thing that labels name. */
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

/** What labels say about the world. */
export interface Naming {
  readonly subject: Subject;
  readonly relations: readonly Relation[];
  /** Labels that went into names and so do not tell series apart. */
  readonly used: ReadonlySet<string>;
}

/** What the file's surroundings say where labels are silent. */
export interface Surroundings {
  /** The machine that was scraped, when somebody knows. */
  readonly host: string | undefined;
  /** What series without any name of a thing belong to. */
  readonly fallback: () => Subject;
}
