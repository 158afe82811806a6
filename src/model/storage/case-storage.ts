import type { TableFile } from './bundle.ts';
import type { CaseSummary } from './case-summary.ts';
import type { Engine } from './engine.ts';

/** The file in a case's folder that holds its rows. */
export const CASE_DATABASE = 'case.duckdb';

/** Beside it, as it was before it was upgraded from this schema. */
export const olderDatabase = (schema: number): string => `case.schema-${schema}.duckdb`;
export const isOlderDatabase = (file: string): boolean => /^case\.schema-\d+\.duckdb$/.test(file);

/** An open case: its database, and where it lives. */
export interface StoredCase {
  readonly engine: Engine;
  readonly name: string;
  /** For the host and messages only; never crosses to the page. */
  readonly path: string;
  /** Names of the copies beside it that were kept when it was upgraded from older schemas. */
  readonly olderCopies?: readonly string[];
  /** Its database was made just now, by this process, and holds nothing yet: there is nothing in it to distrust. */
  readonly isNew?: boolean;
  /** Of a bundle that is opened for the first time: its tables, each checked against its hash, for the empty database. */
  readonly bundle?: { readonly schema_version: number; readonly tables: readonly TableFile[] };
  /** Of a case that was made just now: takes it away again, once its engine is closed. */
  discard?(): Promise<void>;
  /**
   * Of a case that was made aside: gives it its place and opens it there, once its engine is closed. A process that is killed
   * before leaves no case, never a part of one.
   */
  settle?(): Promise<StoredCase>;
  /**
   * Of a case in a folder that can be written to: puts a copy of its database beside it, before it is upgraded from this schema,
   * and opens it again, once its engine is closed.
   */
  keepOlder?(schema: number): Promise<StoredCase>;
}

/** Manifest of a bundle, verified before any of its tables is read. */
export interface BundlePreview {
  readonly case: string;
  /** SHA-256 of the key that it is signed with; null: not signed. */
  readonly signed_by: string | null;
  /** The post-mortem at the time of the export, Markdown. */
  readonly report: string;
}

/** What opening a bundle goes through: every byte is compared with its hash, then its tables become those of a case. */
export const openingStages = ['checking', 'loading'] as const;

/** Progress of opening a case. */
export interface Opening {
  readonly signal: AbortSignal;
  /** How far a stage is, in bytes or rows. */
  onProgress(stage: (typeof openingStages)[number], done: number, total: number): void;
  onPreview(preview: BundlePreview): void;
}

export interface RecentCase {
  readonly id: string;
  readonly name: string;
  readonly opened_at_ns: bigint;
  /** Came as a bundle. */
  readonly bundle: boolean;
  /** null: never looked at since Faultline keeps summaries. */
  readonly summary: CaseSummary | null;
}

/**
 * SQL that was run or saved on this machine. Whatever else a case brings was written by somebody else: it is not run by
 * opening the case, because no limit holds a function that makes one huge value.
 */
export interface KnownQueries {
  has(sql: string): Promise<boolean>;
  add(sql: string): Promise<void>;
}

/** A copy of a damaged case, to read from it what can be read. */
export interface SalvagedCase {
  readonly engine: Engine;
  /** A database that found damage may refuse all that comes after: closes it, and opens it anew. */
  reopen(): Promise<Engine>;
  /** What was written last could not be read. */
  readonly log_lost: boolean;
  /** Takes the copy away, once its engine is closed. */
  remove(): Promise<void>;
}

/**
 * Abstract storage of cases. A storage opens a case once: opening it again returns the same
 * engine, so that what closes it closes it for all. Openings must come one after the other.
 */
export interface CaseStorage {
  /** @throws the reason of an abort, with nothing left behind */
  open(path: string, opening?: Opening): Promise<StoredCase>;
  /** Makes an empty case of that name, or of that name with a number; `aside`: it gets its place when it is whole ({@link StoredCase.settle}). */
  create(name: string, options?: { readonly aside: boolean }): Promise<StoredCase>;
  recent(): Promise<readonly RecentCase[]>;
  /** Stores the summary of the case for Home while it is closed. */
  describe?(stored: StoredCase, summary: CaseSummary): Promise<void>;
  openRecent(id: string): Promise<StoredCase>;
  /** Takes a case off the list of recent ones; left out where none is kept. */
  forgetRecent?(id: string): Promise<void>;
  /** Left out where cases are not kept. @throws ProblemError case.missing, case.beyond_repair */
  salvage?(path: string): Promise<SalvagedCase>;
  /** Without it queries are known until the host ends. */
  readonly queries?: KnownQueries;
}
