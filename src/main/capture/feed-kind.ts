import type { z } from 'zod';
import type { Feed, FeedCheck } from '../../model/storage/feed.ts';

/**
 * One kind of live feed: what a plan may say of it, and how it is opened. The schema's `meta` names the kind for people
 * (`title`, `description`), each field's `describe` says what it is for: the window's form is made of nothing else.
 */
export interface FeedKind<S extends z.ZodType> {
  /** As a plan names it. */
  readonly kind: string;
  readonly plan: S;
  /** What it sends without a plan's saying so, for people: `the AWS credentials of this machine`. Left out: nothing. */
  readonly ambientCredentials?: string;
  /** @param siblings what the same plan says of all feeds of this kind, this one among them */
  open(plan: z.output<S>, siblings?: readonly z.output<S>[]): Feed;
  /** Tries the connection step by step; ends after the first step that failed. Nothing of it reaches a case. */
  test(plan: z.output<S>, signal: AbortSignal): AsyncIterable<FeedCheck>;
}

export type AnyFeedKind = FeedKind<z.ZodType>;
