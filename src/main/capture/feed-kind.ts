import type { z } from 'zod';
import type { Feed } from '../../model/feed.ts';

/** One kind of live feed: what a plan may say of it, and how it is opened. */
export interface FeedKind<S extends z.ZodType> {
  /** As a plan names it. */
  readonly kind: string;
  readonly plan: S;
  open(plan: z.output<S>): Feed;
}
