import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { feedSteps } from '../storage/feed.ts';
import { problemSchema } from './case.ts';
import { call, stream } from './procedure.ts';

/** What happens while a capture runs. */
export const captureEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begun'), case: z.string(), feeds: z.array(z.string()) }),
  /** A feed that is down is a gap from `at_ns` on, until it is up again; `about`: where it listens or what it asks. */
  z.object({
    kind: z.literal('feed'),
    feed: z.string(),
    state: z.enum(['up', 'down']),
    reason: z.string(),
    about: z.string(),
    at_ns: anyNanos,
  }),
  /** State of a push target. */
  z.object({
    kind: z.literal('push'),
    push: z.string(),
    state: z.enum(['up', 'down']),
    reason: z.string(),
    at_ns: anyNanos,
  }),
  /** A notice as in `notices.list`, once each. */
  z.object({ kind: z.literal('notice'), text: z.string(), lane: z.string(), breach_s: z.number(), at_ns: anyNanos }),
  /** The disk is full: nothing is written, rows are buffered, senders must wait; or the buffer has been written. */
  z.object({ kind: z.literal('disk'), state: z.enum(['full', 'written']), at_ns: anyNanos }),
  /** Every second, after what came was written: all rows so far, and those known to be gone. */
  z.object({
    kind: z.literal('written'),
    rows: z.number(),
    lost: z.number(),
    feeds: z.array(z.object({ name: z.string(), rows: z.number(), lost: z.number() })),
  }),
  z.object({
    kind: z.literal('ended'),
    feeds: z.array(
      z.object({ name: z.string(), rows: z.number(), lost: z.number(), problem: problemSchema.nullable() }),
    ),
  }),
]);
export type CaptureEvent = z.infer<typeof captureEventSchema>;

/** One feed of a capture that runs, or ran; `waiting`: no rows or state yet. */
export const liveFeedSchema = z.object({
  name: z.string(),
  state: z.enum(['waiting', 'up', 'down']),
  /** Since when, by the clock of this machine. */
  since_ns: anyNanos,
  reason: z.string(),
  about: z.string(),
  rows: z.number(),
  /** Of the last ten seconds. */
  rate_per_s: z.number(),
  /** Records known to be gone. */
  lost: z.number(),
});
export type LiveFeed = z.infer<typeof liveFeedSchema>;

/** The capture of the windows; `ended` until the next one starts, `problem`: the reason of an unrequested end. */
export const liveCaptureSchema = z.object({
  phase: z.enum(['running', 'ending', 'ended']),
  case: z.string(),
  began_ns: anyNanos,
  feeds: z.array(liveFeedSchema),
  problem: problemSchema.nullable(),
});
export type LiveCaptureView = z.infer<typeof liveCaptureSchema>;

/** Of a test of a plan, side by side; `feed` counts from 0 as in the plan, then push targets. */
export const feedTestSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('check'),
    feed: z.number().int(),
    name: z.string(),
    check: z.object({
      step: z.enum(feedSteps),
      passed: z.boolean(),
      detail: z.string(),
      hint: z.string().optional(),
    }),
  }),
  z.object({ kind: z.literal('tested'), feed: z.number().int(), name: z.string(), passed: z.boolean() }),
]);
export type FeedTest = z.infer<typeof feedTestSchema>;

export const feedKindSchema = z.object({
  kind: z.string(),
  title: z.string(),
  about: z.string(),
  fields: z.array(
    z.object({
      path: z.string(),
      about: z.string(),
      type: z.enum(['text', 'number', 'choice', 'yes-no', 'secret', 'list', 'yaml', 'folder']),
      isOptional: z.boolean(),
      fallback: z.string(),
      choices: z.array(z.string()),
      group: z.string(),
    }),
  ),
});

export type FeedKindView = z.infer<typeof feedKindSchema>;

const plannedFeedSchema = z.record(z.string().max(100), z.unknown());

/** A plan as text and parsed; `feeds` is null if the text is no plan. */
export const planReadingSchema = z.object({
  text: z.string(),
  feeds: z.array(plannedFeedSchema).nullable(),
  problems: z.array(z.object({ feed: z.number().int().nullable(), path: z.string(), message: z.string() })),
});

export type PlanView = z.infer<typeof planReadingSchema>;

const plan = z.string().min(1).max(1_000_000);
/** Of an entry of the keychain. */
const secretName = z.string().regex(/^\S{1,200}$/, 'has no blanks in it');

export const captureContract = {
  /** Options of plans. */
  'capture.kinds': call(z.object({}), z.array(feedKindSchema)),
  /** Converts between a plan's text and its content, with errors. No feed is contacted. */
  'capture.plan': call(
    z.union([
      z.object({ text: z.string().max(1_000_000) }),
      /** `before`: the text that is edited, whose comments stay. */
      z.object({ feeds: z.array(plannedFeedSchema).max(1000), before: z.string().max(1_000_000).default('') }),
    ]),
    planReadingSchema,
  ),
  /** Prompts for a folder that plans may watch, outside of the page; null: none was chosen, or the host has no dialog. */
  'capture.watch_folder': call(z.object({}), z.object({ folder: z.string().nullable() })),
  /** Tries every feed step by step; nothing of it reaches a case. Abandoning it ends it. */
  'capture.test': stream(z.object({ plan }), feedTestSchema),
  /** Puts a secret into the system's keychain, to which a plan then refers as keychain:NAME; it is never returned. */
  'capture.keep_secret': call(z.object({ name: secretName, secret: z.string().min(1).max(10_000) }), z.object({})),
  'capture.forget_secret': call(z.object({ name: secretName }), z.object({ forgotten: z.boolean() })),
  /** Begins to record into the open case, or a new one; it goes on whatever becomes of the window. */
  'capture.start': call(z.object({ plan, new_case: z.boolean().default(false) }), z.object({ case: z.string() })),
  /** Ends it in order; nothing when none runs. */
  'capture.stop': call(z.object({}), z.object({})),
  /** How it stands, whichever window began it: at once, then when that changes; null: there was none. */
  'capture.state': stream(
    z.object({}),
    /** `now_ns`: by the clock of the host, which may differ from the clock of a remote window. */
    z.object({ capture: liveCaptureSchema.nullable(), now_ns: anyNanos }),
  ),
  /** Runs the feeds of a plan (YAML) into the open case, or a new one; abandoning it ends it in order. */
  'capture.run': stream(z.object({ plan }), captureEventSchema),
} as const;
