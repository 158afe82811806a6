import type { Booted, BootOptions, Sources } from '../harness.ts';

/** One rule of the security check-list, as something that can be run against any copy of the sources. */
export interface Check {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

export interface Subject {
  readonly sources: Sources;
  /** The caller of the check stops it. */
  boot(options?: BootOptions): Promise<Booted>;
}

export const importSecurity = async ({ sources }: Subject) =>
  (await import(
    /* @vite-ignore */ `${sources.hosts}/security.ts`
  )) as typeof import('../../../src/main/hosts/security.ts');
export const importAssets = async ({ sources }: Subject) =>
  (await import(/* @vite-ignore */ `${sources.hosts}/assets.ts`)) as typeof import('../../../src/main/hosts/assets.ts');
export const importFileHandles = async ({ sources }: Subject) =>
  (await import(
    /* @vite-ignore */ `${sources.hosts}/file-handles.ts`
  )) as typeof import('../../../src/main/hosts/file-handles.ts');
