import { z } from 'zod';
import { watchedFolderSchema } from '../plan/local-path.ts';
import { watchedNamesSchema } from '../watched-files/folder.ts';

export const flightRecorderPlanSchema = z
  .strictObject({
    kind: z.literal('flight-recorder'),
    name: z.string().min(1).max(200).default('Flight Recorder').describe('name of its data source'),
    /** Where the ranks write (TORCH_NCCL_DEBUG_INFO_TEMP_FILE, TORCH_FR_DUMP_TEMP_FILE): `/tmp` where they are not set. */
    folder: watchedFolderSchema.default('/tmp'),
    files: watchedNamesSchema.default('*trace_rank_*').describe('names in the folder: * is any text, ? any character'),
    job: z.string().min(1).max(200).nullable().default(null).describe('name of the job; null: that of the folder'),
    every_s: z.number().min(0.1).max(3600).default(5).describe('poll interval of the folder, in seconds'),
    most_files: z.int().min(1).max(100_000).default(10_000).describe('more files are left out, and counted'),
    most_mb: z.int().min(1).max(256).default(64).describe('larger files are left out, and counted; MiB'),
  })
  .meta({
    title: 'NCCL Flight Recorder',
    description: 'dumps that the ranks of a training job write when a collective hangs: which rank the others wait for',
  });
export type FlightRecorderPlan = z.output<typeof flightRecorderPlanSchema>;
