import type { z } from 'zod';
import type { PullEstimate, Selection, SliceSize, TimeWindow } from '../../model/storage/archive.ts';
import type { FeedCheck } from '../../model/storage/feed.ts';
import type { FleetStore } from '../../model/storage/fleet-store.ts';
import type { ConnectionPlan } from './connection-plan.ts';
import type { ArchiveClient } from './http/archive-client.ts';
import type { Login } from './http/login.ts';

/** One kind of archive: its plan schema, which also makes its form, and what it can be asked. */
export interface ArchiveKind<S extends z.ZodType<ConnectionPlan>> {
  /** Name of the kind in a plan. */
  readonly kind: string;
  readonly plan: S;
  /** Nothing is requested yet. */
  login(plan: z.output<S>): Login;
  /** What a selection of this archive needs to be asked. */
  queries(asked: Asked<z.output<S>>): Promise<readonly KindQuery[]>;
  /** Left out: it can only be pulled from. */
  fleet?(client: ArchiveClient, plan: z.output<S>): FleetStore;
  /** The last step of a connection test: a small request. @returns what it found, for people @throws ProblemError archive.* */
  probe(client: ArchiveClient, plan: z.output<S>, signal: AbortSignal): Promise<FeedCheck>;
}

export interface Asked<P> {
  readonly plan: P;
  readonly client: ArchiveClient;
  readonly selection: Selection;
  readonly window: TimeWindow;
  readonly signal: AbortSignal;
}

interface QueryCommon {
  readonly text: string;
  readonly format: string;
  readonly grain_ns: bigint;
  /** Left out: the archive does not estimate. */
  estimate?(window: TimeWindow, signal: AbortSignal): Promise<PullEstimate>;
}

/** A query of answers of the archive's published API. */
export interface DocumentQuery extends QueryCommon {
  /** Left out: as long as the plan allows. */
  readonly longest_ns?: bigint;
  /** What a slice may hold; left out: what is usual for text. */
  readonly most?: SliceSize;
  /** Whole documents, one after another in one file. */
  documents(window: TimeWindow, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A query of files that the archive has. */
export interface FileQuery extends QueryCommon {
  readonly extent: TimeWindow;
  readonly name: string;
  /** Those of a window within the extent; there may be none. */
  files(window: TimeWindow, signal: AbortSignal): Iterable<SliceDocuments>;
}

/** As `ArchiveQuery`, before its documents are written to files. */
export type KindQuery = DocumentQuery | FileQuery;

/** A file of a slice, as it is fetched. */
export interface SliceDocuments {
  /** For rejects, and for formats whose names state something. */
  readonly path: string;
  /** When its records without a time were recorded. */
  readonly captured_ns: bigint;
  /** Its bytes, in parts. */
  readonly documents: AsyncIterable<Uint8Array>;
}

export type AnyArchiveKind = ArchiveKind<z.ZodType<ConnectionPlan>>;
