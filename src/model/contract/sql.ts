import { z } from 'zod';
import { LONGEST_SQL } from '../incident/annotation-schema.ts';
import { call } from './procedure.ts';
import { tableSchema, uint8 } from './timeline.ts';

/** Something that SQL can read from: a view made for people, a table as it is stored, or a function. */
export const relationSchema = z.object({
  /** As it is written in SQL: `spans`, `trace('…')`. */
  name: z.string(),
  kind: z.enum(['view', 'table', 'function']),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});
export type Relation = z.infer<typeof relationSchema>;

const sql = z.string().min(1).max(LONGEST_SQL);

export const sqlContract = {
  /** What SQL can ask about: views first, in the order of their names. */
  'sql.schema': call(z.object({}), z.array(relationSchema)),
  /**
   * Read-only SQL over the case; no files, no network. `unread`: it was saved in the case, and the user may not have
   * looked at it: refused (`sql.from_elsewhere`) unless it was run or saved on this machine before.
   */
  'query.sql': call(
    z.object({
      sql,
      limit: z.number().int().min(1).max(1_000_000).default(10_000),
      unread: z.boolean().default(false),
    }),
    tableSchema,
  ),
  /** The whole answer of read-only SQL as one Parquet file. */
  'query.parquet': call(z.object({ sql }), z.object({ bytes: uint8 })),
} as const;
