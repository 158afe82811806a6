import { z } from 'zod';
import { watchedFolderSchema } from '../plan/local-path.ts';
import { watchedNamesSchema } from '../watched-files/folder.ts';

export const logTailPlanSchema = z
  .strictObject({
    kind: z.literal('log-tail'),
    name: z.string().min(1).max(200).default('Log files').describe('name of its data source'),
    folder: watchedFolderSchema,
    files: watchedNamesSchema.default('*.log').describe('names in the folder: * is any text, ? any character'),
    /** Of files that are there when the capture begins; later ones are read from their start. */
    before_mb: z
      .number()
      .min(0)
      .max(1024)
      .default(0)
      .describe('how much of what the files hold already is read, from their end; MiB'),
    zone: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe('zone of times without one: UTC, +02:00, Europe/Berlin; null: UTC, with a remark'),
    host: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('machine of records that name none; null: the name of their file is that of a service'),
    every_s: z.number().min(0.1).max(60).default(1).describe('read interval in seconds'),
    most_files: z.int().min(1).max(500).default(64).describe('more files are left out, and counted'),
  })
  .meta({
    title: 'Log files',
    description:
      'lines of logs as programs write them, also over rotation: training steps, watchdogs, drivers, kernels',
  });
export type LogTailPlan = z.output<typeof logTailPlanSchema>;
