import type { z } from 'zod';
import type { ExportTarget } from '../storage/export-files.ts';
import type { HostAbility } from '../storage/host-ability.ts';
import { bundleContract } from './bundle.ts';
import { captureContract } from './capture.ts';
import { caseContract } from './case.ts';
import { costsContract } from './costs.ts';
import { differencesContract } from './differences.ts';
import { exportContract } from './export.ts';
import { fleetContract } from './fleet.ts';
import { gpusContract } from './gpus.ts';
import { investigationContract } from './investigation.ts';
import { jobsContract } from './jobs.ts';
import { lifecycleContract } from './lifecycle.ts';
import { logsContract } from './logs.ts';
import { noticesContract } from './notices.ts';
import { partsContract } from './parts.ts';
import { patternsContract } from './patterns.ts';
import { pullContract } from './pull.ts';
import { reportContract } from './report.ts';
import { sqlContract } from './sql.ts';
import { stagesContract } from './stages.ts';
import { timelineContract } from './timeline.ts';
import { tokensContract } from './tokens.ts';
import { topologyContract } from './topology.ts';
import { traceGroupContract } from './trace-group.ts';
import { tracesContract } from './traces.ts';

/**
 * The one typed contract between a window (or the command line) and the core. A `call` answers once; a
 * `stream` yields events until its last. Every host carries exactly these names; inputs are checked by
 * their schema in `core/api`, whatever carried them.
 */
export const contract = {
  ...caseContract,
  ...timelineContract,
  ...investigationContract,
  ...topologyContract,
  ...captureContract,
  ...pullContract,
  ...fleetContract,
  ...sqlContract,
  ...gpusContract,
  ...jobsContract,
  ...lifecycleContract,
  ...differencesContract,
  ...logsContract,
  ...traceGroupContract,
  ...stagesContract,
  ...tokensContract,
  ...costsContract,
  ...tracesContract,
  ...noticesContract,
  ...partsContract,
  ...patternsContract,
  ...bundleContract,
  ...exportContract,
  ...reportContract,
} as const;

export type Contract = typeof contract;
export type ProcedureName = keyof Contract;
export type Input<N extends ProcedureName> = z.input<Contract[N]['input']>;
export type Parsed<N extends ProcedureName> = z.output<Contract[N]['input']>;
export type Output<N extends ProcedureName> = z.output<Contract[N]['output']>;

export interface CallContext {
  readonly signal?: AbortSignal | undefined;
  /** Identifies a window of the host; undefined without a window. */
  readonly window?: string | undefined;
}

/** What a host is handed, and what a window's client looks like on the other side. */
export type Api = {
  readonly [N in ProcedureName]: Contract[N]['kind'] extends 'stream'
    ? (input: Input<N>, context?: CallContext) => AsyncIterable<Output<N>>
    : (input: Input<N>, context?: CallContext) => Promise<Output<N>>;
};

/** Services of the host for the core; everything that touches the user's own files goes through handles. */
export interface Host {
  readonly kind: 'electron' | 'web' | 'cli' | 'viewer';
  /** Left out: all of them. */
  readonly abilities?: readonly HostAbility[];
  /** Asks the user; [] when cancelled or when the host has no dialog. */
  pickFiles(purpose: 'import' | 'folder' | 'case' | 'watch'): Promise<readonly string[]>;
  /** Asks the user where to and writes; null when the window must offer the download itself. */
  saveFile(suggestedName: string, content: string | Uint8Array): Promise<{ readonly name: string } | null>;
  /**
   * Asks where a bundle is to be written. `key`: where the key is that signs it, if the host knows one; `download`: the page has
   * to fetch it from there. null: there is no place.
   */
  bundleTarget?(
    suggestedName: string,
  ): Promise<{ readonly path: string; readonly key: string | null; readonly download: boolean } | null>;
  /** Asks where something for other tools is to be written; null: there is no place. */
  exportTarget?(suggestedName: string): Promise<ExportTarget | null>;
  /** Prints a self-contained HTML document as PDF; left out where the host cannot. */
  printPdf?(html: string): Promise<Uint8Array>;
  /**
   * Prompts the user at this machine, outside of any page. `yes`: label of the button to allow; `once`: allowed, and prompted
   * again next time. Left out: prompts are not possible, and such calls are refused.
   */
  confirm?(request: {
    readonly message: string;
    readonly detail: string;
    readonly yes: string;
  }): Promise<'no' | 'once' | 'always'>;
  /** Opens one more window; left out where the page must open it itself. @throws ProblemError window.too_many */
  openWindow?(): void;
}

export * from './bundle.ts';
export * from './capture.ts';
export * from './case.ts';
export * from './differences.ts';
export * from './export.ts';
export * from './fleet.ts';
export * from './gpus.ts';
export * from './investigation.ts';
export * from './jobs.ts';
export * from './lifecycle.ts';
export * from './logs.ts';
export * from './notices.ts';
export * from './parts.ts';
export * from './patterns.ts';
export * from './pull.ts';
export * from './report.ts';
export * from './sql.ts';
export * from './stages.ts';
export * from './timeline.ts';
export * from './tokens.ts';
export * from './topology.ts';
export * from './trace-group.ts';
export * from './traces.ts';
export * from './wire.ts';
