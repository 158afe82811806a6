import type { BundleContent, TableFile, TableSelect } from './bundle.ts';
import type { StoredCase } from './case-storage.ts';
import type { Engine } from './engine.ts';

export const bundleStages = ['tables', 'judging', 'redacting', 'sealing'] as const;
export interface BundleWork {
  readonly signal: AbortSignal;
  /** How far a stage is, in tables or bytes. */
  onProgress(stage: (typeof bundleStages)[number], done: number, total: number): void;
}

/** Everything of a bundle but its members. */
export type BundleHead = Omit<BundleContent, 'tables' | 'members' | 'format' | 'format_version'>;

/** What became of the names of a case. */
export interface Redacted {
  /** What the case is called from here on. */
  readonly case: string;
  replace(text: string): string;
  readonly pairs: readonly { readonly before: string; readonly after: string }[];
  readonly samples: readonly { readonly place: string; readonly before: string; readonly after: string }[];
  /** Looks for every original in what goes along. @throws ProblemError redaction.leaks */
  assertGone(tables: readonly TableFile[], texts: Readonly<Record<string, string>>): Promise<void>;
}

/** Bundle files of the host; the core determines their content. */
export interface BundleFiles {
  /** Writes what is selected as Parquet into the folder that the engine may write to. */
  writeTables(engine: Engine, selects: readonly TableSelect[], work: BundleWork): Promise<TableFile[]>;
  /** Moves tables that were written to where the engine of another case reads them. */
  moveTables(engine: Engine, tables: readonly TableFile[]): Promise<TableFile[]>;
  /** An empty case that holds these tables once it is opened, somewhere out of the way. */
  stage(name: string, schemaVersion: number, tables: readonly TableFile[]): Promise<StoredCase>;
  /**
   * Replaces names in a staged case by rules (YAML); `preview` only reports the effect.
   * @throws ProblemError redaction.rules
   */
  redact(engine: Engine, rules: string, preview: boolean, work: BundleWork): Promise<Redacted>;
  /** Puts members, manifest and signature together. `key`: where the private key is; null: unsigned. */
  seal(
    target: { readonly path: string; readonly key: string | null },
    content: { readonly head: BundleHead; readonly tables: readonly TableFile[]; readonly report: string },
    work: BundleWork,
  ): Promise<{ readonly bytes: number; readonly root: string; readonly signed_by: string | null }>;
  /** Removes what `writeTables` wrote. */
  clear(engine: Engine): Promise<void>;
}
