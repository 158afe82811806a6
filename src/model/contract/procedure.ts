import type { z } from 'zod';

export const call = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'call', input, output }) as const;
export const stream = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'stream', input, output }) as const;
