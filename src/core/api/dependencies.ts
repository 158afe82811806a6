import type { CaseStorage } from '../../model/case-storage.ts';
import type { FileHandle, Host } from '../../model/contract/index.ts';
import type { SourceReader } from '../../model/source.ts';

/** Everything the core is handed by the process that hosts it. */
export interface ApiDependencies {
  readonly host: Host;
  readonly version: string;
  readonly storage: CaseStorage;
  readonly reader: SourceReader;
  readonly files: {
    register(path: string): Promise<FileHandle>;
    path(handle: string): string;
  };
  /** Files of the demo incident for the importers; generated on the first call. */
  demoFiles(): Promise<readonly string[]>;
  /** Wall clock, nanoseconds. */
  now(): bigint;
}
