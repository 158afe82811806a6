import { z } from 'zod';

/**
 * A file, folder or program of this machine that a plan may name. Only plans that whoever runs the command line hands over
 * may: a window shows pages and strangers' cases, and gets at no file by a plan.
 */
export const localPathSchema = z.string().min(1).max(4096).meta({ local: true });
