import type { Problem } from '../problem.ts';
import type { RowBatch } from '../rows/rows.ts';

/** Where a live feed puts what it gets. */
export interface FeedSink {
  /** Buffers batches until they are written; false: no room, all are refused, and the sender must wait. */
  take(batches: readonly RowBatch[]): boolean;
  /** Whether there is room, for feeds that can make a sender wait before the work; rows are then accepted. */
  hasRoom?(): boolean;
  /** Whether what is taken now is on disk soon; false: the disk is full, and senders that can should send it again. */
  canWrite?(): boolean;
  /**
   * From now on the feed gets nothing, and why; or it does again. A gap is a gap, never zeros.
   *
   * @param silent_ms how long nothing was received at that time, because a request that timed out began earlier
   */
  reportState(state: FeedState, reason: string, silent_ms?: number): void;
  /** For so long polls were due that did not take place, because this process had no time for them. */
  missed?(late_ms: number): void;
  /** So many records are known to be gone for good; what `take` refused before that is a gap. */
  lost(records: number, reason: string): void;
  /**
   * How sure the times of a feed's rows are, and, of one whose clock is `measured`, what has to be added to them so that they
   * are those of this machine's steady clock.
   */
  clock?(offset_ns: bigint, uncertainty_ns: bigint): void;
}
export type FeedState = 'up' | 'down';

/** What is recorded around a trigger, an event of high severity or somebody's word; all lengths in seconds. */
export interface Burst {
  /** How often the feed is asked, and how often it is kept as a rule. */
  readonly every_s: number;
  readonly regular_s: number;
  readonly metrics: readonly string[];
  readonly before_s: number;
  readonly after_s: number;
}

/**
 * Which clock the times of a feed's rows are read from. `here`: this machine's, whatever the rows are about, or nothing
 * bears a time. `measured`: the device's, and the feed measures how far that is from this machine's ({@link FeedSink.clock}).
 * `sender`: that of the author of the records; its difference to this machine's is unknown.
 */
export type FeedClock = 'here' | 'measured' | 'sender';

/** A feed that polls or listens during a capture. */
export interface Feed {
  /** What its rows come from, as Sources shows it: `OTLP receiver`. */
  readonly name: string;
  readonly format: string;
  /** For people: `grpc 127.0.0.1:4317, http 127.0.0.1:4318`. Known after `run` has reported `up`. */
  readonly about: string;
  /** What setting this machine's clock does to its rows follows from it. */
  readonly stampedBy: FeedClock;
  /** It is asked more often than it is kept, and all of it is kept around a trigger; left out: all is kept always. */
  readonly burst?: Burst | undefined;
  /** Settles when it is stopped. @throws ProblemError if it cannot start */
  run(sink: FeedSink, signal: AbortSignal): Promise<void>;
}

/** One step of a test of a feed, reported when it is done. */
export interface FeedCheck {
  readonly step: FeedStep;
  readonly passed: boolean;
  /** What was found, or what went wrong, in one line for people. */
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
}
/** Of a connection, from the outside in; `view`: what this user may see, `values`: what of it is understood. */
export const feedSteps = ['secret', 'name', 'route', 'port', 'tls', 'auth', 'view', 'values'] as const;
export type FeedStep = (typeof feedSteps)[number];

/**
 * Results of a test of a plan; all are tested in parallel. `feed` counts from 0 as in the plan; push targets for
 * what a capture finds comes after the feeds, in the order of `pushes`.
 */
export type FeedTestEvent =
  | { readonly kind: 'check'; readonly feed: number; readonly name: string; readonly check: FeedCheck }
  | { readonly kind: 'tested'; readonly feed: number; readonly name: string; readonly passed: boolean };

/** An option of a feed in a plan, as a form field. */
export interface FeedField {
  /** Dots lead into groups: `user.auth_key`. */
  readonly path: string;
  readonly about: string;
  /**
   * `yaml`: of a shape that has no field of its own; it is written in the plan. `folder`: `choices` are references to the folders that the
   * investigator offered.
   */
  readonly type: 'text' | 'number' | 'choice' | 'yes-no' | 'secret' | 'list' | 'yaml' | 'folder';
  /** It may be left out, or null. */
  readonly isOptional: boolean;
  /** Default value, as written in a plan; '' if none. */
  readonly fallback: string;
  readonly choices: readonly string[];
  /** The group it belongs to is left out when all of it is. */
  readonly group: string;
}

/** One kind of feed that a plan may name. */
export interface FeedKindInfo {
  readonly kind: string;
  readonly title: string;
  readonly about: string;
  readonly fields: readonly FeedField[];
}

/** Unchecked options of a feed in a plan. */
export type PlannedFeed = Readonly<Record<string, unknown>>;

/** What is wrong in a plan; `feed` null: in the plan as a whole, `path` '': in the feed as a whole. */
export interface PlanProblem {
  readonly feed: number | null;
  readonly path: string;
  readonly message: string;
}

/** A plan as text and parsed; `feeds` is null if the text is no plan. */
export interface PlanReading {
  readonly text: string;
  readonly feeds: readonly PlannedFeed[] | null;
  readonly problems: readonly PlanProblem[];
}

/** State of a capture, for pushes. */
export interface CaptureUpdate {
  /** OTLP/JSON requests; '' if there is nothing to push. */
  readonly telemetry: { readonly traces: string; readonly logs: string; readonly metrics: string };
  /** Prometheus text exposition. */
  readonly exposition: string;
}

/** A push target during a capture. */
export interface Push {
  readonly name: string;
  readonly every_s: number;
  /** @returns where it is, for people @throws ProblemError */
  open(): Promise<string>;
  /** @returns what was not taken of it, for people; '' for nothing @throws ProblemError; it is tried again when it is due */
  push(news: CaptureUpdate, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** This machine's clock was set, or the machine slept: expected and actual time. */
export interface ClockStep {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
  /** The machine slept: this time passed without any reception. */
  readonly slept: boolean;
}

/** For how long this machine has run, which no setting of its clock touches; `boot`: since which start, '' where that cannot be known. */
export interface Running {
  readonly boot: string;
  readonly for_ns: bigint;
}

/** How the core gets at live feeds without knowing protocols, sockets or plans. */
export interface Feeds {
  /** Reads a plan; nothing is asked yet. @throws ProblemError plan.invalid */
  open(plan: string): Promise<readonly Feed[]>;
  /** Push targets of the same plan. @throws ProblemError plan.invalid */
  pushes(plan: string): readonly Push[];
  /** Watches how this machine's clock is set from now on; left out: it is never set. */
  clockSteps?(): { next(): ClockStep | null };
  /** Left out: unknown. */
  machineRuns?(): Running;
  /** Settles after so long, or at once when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Everything that a plan may name, in the order of the list. */
  readonly kinds: readonly FeedKindInfo[];
  /** Offers a folder to the plans of windows. @returns the reference @throws ProblemError folder.not_watched */
  watchFolder(path: string): Promise<string>;
  /** Parses a text, with errors. Never throws. */
  readPlan(text: string): PlanReading;
  /** Writes a plan as text, without defaults; comments and other content of the previous text are kept. */
  writePlan(feeds: readonly PlannedFeed[], before: string): PlanReading;
  /** Tries every feed of a plan, and every push target, step by step. @throws ProblemError plan.invalid */
  test(plan: string, signal: AbortSignal): AsyncIterable<FeedTestEvent>;
  /** The system's keychain, which `keychain:NAME` of a plan refers to. @throws ProblemError keychain.unavailable */
  readonly keychain: {
    saveSecret(name: string, secret: string): Promise<void>;
    /** Whether there was one. */
    forget(name: string): Promise<boolean>;
  };
}

/** What a feed came to, for the end of a capture. */
export interface FeedOutcome {
  readonly name: string;
  readonly rows: number;
  readonly lost: number;
  readonly problem: Problem | null;
}
