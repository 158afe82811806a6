import { z } from 'zod';

/**
 * A file, folder or program of this machine in a plan. Only plans from the command line may contain one: a window shows
 * web pages and foreign cases, and must not get access to files.
 */
export const localPathSchema = z.string().min(1).max(4096).meta({ local: true });

/** A folder that is watched; plans of a window may name one that the investigator offered outside of the page. */
export const watchedFolderSchema = z
  .string()
  .min(1)
  .max(4096)
  .meta({ local: true, watched: 'folder' })
  .describe('where the files are');
