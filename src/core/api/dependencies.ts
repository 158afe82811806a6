import type { FileHandle, Host } from '../../model/contract/index.ts';
import type { BundleFiles } from '../../model/storage/bundle-files.ts';
import type { CaseStorage } from '../../model/storage/case-storage.ts';
import type { ExportFiles } from '../../model/storage/export-files.ts';
import type { Feeds } from '../../model/storage/feed.ts';
import type { SourceReader } from '../../model/storage/source.ts';

/** Dependencies that the host process passes to the core. */
export interface ApiDependencies {
  readonly host: Host;
  readonly version: string;
  readonly storage: CaseStorage;
  readonly reader: SourceReader;
  /** Live feeds, loaded when they are first asked for; left out where a host has none. */
  feeds?(): Promise<Feeds>;
  /** Left out where a host has no files of its own. */
  readonly bundles?: BundleFiles;
  readonly exports?: ExportFiles;
  readonly files: {
    register(path: string): Promise<FileHandle>;
    path(handle: string): string;
  };
  /** Files of the demo incident for the importers; generated on the first call. */
  demoFiles(): Promise<readonly string[]>;
  /**
   * The user's own `mechanisms.yaml` as it is now, null if there is none. Read on every request: cheap if unchanged.
   * @throws ProblemError mechanisms.unreadable
   */
  mechanismsFile?(): Promise<string | null>;
  /** Location of that file as text. */
  readonly mechanismsPlace?: string;
  /**
   * The user's own `thresholds.yaml`, in the same way.
   * @throws ProblemError thresholds.unreadable
   */
  thresholdsFile?(): Promise<string | null>;
  readonly thresholdsPlace?: string;
  /** Wall clock, nanoseconds. */
  now(): bigint;
}
