import { z } from 'zod';
import type { Burst } from '../../model/storage/feed.ts';

/** Up to ten samples a second of chosen metrics around a trigger, with what came before it. */
export const burstSchema = z
  .strictObject({
    every_s: z.number().min(0.1).max(10).default(0.1).describe('how often is measured, in seconds'),
    metrics: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .default(['hw.power', 'hw.voltage', 'hw.current', 'hw.gpu.clocks_event_reasons', 'hw.gpu.clock.sm'])
      .describe('of which metrics all is kept around a trigger'),
    before_s: z.number().min(1).max(600).default(60).describe('how much before the trigger is kept, in seconds'),
    after_s: z.number().min(1).max(3600).default(60).describe('how much after it'),
  })
  .nullable()
  .default(null)
  .describe('around a trigger all is kept, up to ten times a second; null: never');

export const burstOf = (burst: z.output<typeof burstSchema>, regular_s: number): Burst | undefined =>
  burst === null ? undefined : { ...burst, regular_s };

/** How often a feed is asked: as it is kept, or more often where bursts are wanted. */
export const pollingOf = ({ every_s, burst }: { every_s: number; burst: z.output<typeof burstSchema> }): number =>
  Math.min(every_s, burst?.every_s ?? every_s);
