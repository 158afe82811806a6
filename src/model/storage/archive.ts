import type { FeedCheck, FeedKindInfo } from './feed.ts';
import type { FetchedSlice } from './fetched-slice.ts';
import type { FleetStore, SchemaOptions } from './fleet-store.ts';

/** A time range, the end excluded. */
export interface TimeWindow {
  readonly from_ns: bigint;
  readonly until_ns: bigint;
}

/** What of an archive is wanted, besides its window. */
export interface Selection {
  /** Empty: all. */
  readonly services: readonly string[];
  /** A condition in the archive's own language; null: none. */
  readonly where: string | null;
}

/** As the archive estimates it; null: it does not. */
export interface PullEstimate {
  readonly rows: number | null;
  readonly bytes: number | null;
  /** The rows are counted, and no estimate. */
  readonly isCounted?: true;
}

/** By the estimate of an archive. */
export interface SliceSize {
  readonly rows: number;
  /** As the archive stores them. */
  readonly bytes: number;
}

/** One query of an archive, to be asked window by window. */
export interface ArchiveQuery {
  /** The whole query but its window, without secrets: equal texts are equal queries. */
  readonly text: string;
  /** Id of the format of its answers: `prometheus-json`. */
  readonly format: string;
  /** Windows begin and end at multiples of it. */
  readonly grain_ns: bigint;
  /** The longest window that it can be asked for. */
  readonly longest_ns: bigint;
  /** What a slice of it may hold; left out: what is usual for text. */
  readonly most?: SliceSize;
  /** What its sources are called, where names of files state something: the job of a dump. null: by query and window. */
  readonly name: string | null;
  /** Of files that an archive has, which come as a whole: their own window, in place of the wanted one. null: records are selected. */
  readonly extent: TimeWindow | null;
  /** @throws ProblemError archive.* */
  estimate(window: TimeWindow, signal: AbortSignal): Promise<PullEstimate>;
  /**
   * All of the answer, as files in a temporary folder. The caller discards them.
   *
   * @throws ProblemError archive.slice_too_large, archive.too_slow where a shorter window may do; other archive.*
   */
  fetch(window: TimeWindow, signal: AbortSignal): Promise<FetchedSlice>;
}

/** An archive that a plan names. */
export interface Archive {
  readonly kind: string;
  /** Who it is, without secrets: `http://mimir:9009/prometheus`. With a query and a window it identifies a slice. */
  readonly address: string;
  /** How many slices may be fetched at the same time. */
  readonly parallel: number;
  /** What was recorded later than so long ago may still arrive; it is not pulled yet. */
  readonly lag_ns: bigint;
  /** @throws ProblemError archive.* */
  queries(selection: Selection, window: TimeWindow, signal: AbortSignal): Promise<readonly ArchiveQuery[]>;
  /** Tests the connection step by step and ends after the first failed step. */
  test(signal: AbortSignal): AsyncIterable<FeedCheck>;
  /** To be asked in place; null: it can only be pulled from. */
  readonly fleet: FleetStore | null;
  /** How often requests were repeated so far, and why the last one was; '' if none. */
  repeats(): { readonly count: number; readonly reason: string };
}

/** A plan as a form shows it. */
export interface ArchivePlanReading {
  /** By name; null: it is no list of fields. */
  readonly fields: Readonly<Record<string, unknown>> | null;
  /** `path`: the field; '' is the plan as a whole. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

export interface ArchiveSchema {
  /** In order, each without an end mark. */
  readonly statements: readonly string[];
  /** Configuration of an OpenTelemetry collector that fills it (YAML). */
  readonly collector: string;
  /** Dashboard of Grafana over what is pushed (JSON). */
  readonly dashboard: string;
}

/** How the core gets at archives without knowing protocols or plans. */
export interface Archives {
  /** Every kind that a plan may name, as forms. */
  readonly kinds: readonly FeedKindInfo[];
  /** Reads a plan (YAML) that is being written. */
  read(plan: string): ArchivePlanReading;
  /** Makes nothing. @throws ProblemError archive.no_schema */
  schema(kind: string, options: SchemaOptions): ArchiveSchema;
  /** Reads a plan (YAML); nothing is requested yet. @throws ProblemError plan.invalid, plan.not_allowed */
  open(plan: string): Promise<Archive>;
}
