import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

export const noticeSchema = z.object({
  series_id: z.number().int(),
  metric: z.string(),
  unit: z.string(),
  entity_kind: z.string(),
  entity_id: z.string(),
  /** Id of the lane that shows the series. */
  lane: z.string(),
  value: z.number(),
  limit: z.number(),
  limit_name: z.string(),
  slope_per_s: z.number(),
  breach_s: z.number(),
  earliest_s: z.number(),
  latest_s: z.number().nullable(),
  stretch_s: z.number(),
  /** One sentence for people. */
  text: z.string(),
});
export type NoticeView = z.infer<typeof noticeSchema>;

export const noticesContract = {
  /** What is heading for a limit at a time (null: when the recording ends), the soonest first. */
  'notices.list': call(
    z.object({ at_ns: anyNanos.nullable().default(null) }),
    z.object({ at_ns: anyNanos.nullable(), notices: z.array(noticeSchema) }),
  ),
} as const;
