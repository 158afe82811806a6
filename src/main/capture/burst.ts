import { z } from 'zod';
import type { Burst } from '../../model/storage/feed.ts';

/** Keeps up to ten samples a second of chosen metrics around a trigger, and some time before it. */
export const burstSchema = z
  .strictObject({
    every_s: z.number().min(0.1).max(10).default(0.1).describe('poll interval during a burst, in seconds'),
    metrics: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .default(['hw.power', 'hw.voltage', 'hw.current', 'hw.gpu.clocks_event_reasons', 'hw.gpu.clock.sm'])
      .describe('metrics that are kept in full around a trigger'),
    before_s: z.number().min(1).max(600).default(60).describe('seconds kept before the trigger'),
    after_s: z.number().min(1).max(3600).default(60).describe('seconds kept after it'),
  })
  .nullable()
  .default(null)
  .describe('keep all samples around a trigger, up to ten a second; null: never');

export const burstOf = (burst: z.output<typeof burstSchema>, regular_s: number): Burst | undefined =>
  burst === null ? undefined : { ...burst, regular_s };

/** Poll interval of a feed in seconds: its regular interval, or shorter if bursts are configured. */
export const pollingOf = ({ every_s, burst }: { every_s: number; burst: z.output<typeof burstSchema> }): number =>
  Math.min(every_s, burst?.every_s ?? every_s);
