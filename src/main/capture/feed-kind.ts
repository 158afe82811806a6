import type { z } from 'zod';
import type { Feed, FeedCheck } from '../../model/storage/feed.ts';

/**
 * One kind of live feed: its plan schema and how to open it. The schema's `meta` (`title`, `description`) and each
 * field's `describe` are the only input for the form in the window.
 */
export interface FeedKind<S extends z.ZodType> {
  /** Name of the kind in a plan. */
  readonly kind: string;
  readonly plan: S;
  /** Credentials that it sends without an entry in the plan: `the AWS credentials of this machine`. Default: none. */
  readonly ambientCredentials?: string;
  /** @param siblings the plan's feeds of this kind, including this one */
  open(plan: z.output<S>, siblings?: readonly z.output<S>[]): Feed;
  /** Tests the connection step by step and ends after the first failed step. Writes nothing to a case. */
  test(plan: z.output<S>, signal: AbortSignal): AsyncIterable<FeedCheck>;
}

export type AnyFeedKind = FeedKind<z.ZodType>;
