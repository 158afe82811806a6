import type { Session } from '../../../model/storage/engine.ts';
import { refuse } from '../../../model/traceql/problem.ts';
import type { Pattern } from '../../traceql/bindings.ts';

/** @throws ProblemError traceql.regex at the pattern that RE2 refuses */
export async function tryPattern(session: Session, { text, at }: Pattern): Promise<void> {
  try {
    await session.query("select regexp_full_match('', $1)", [text]);
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.replace(/^[\w ]*Error: /, '');
    refuse('traceql.regex', at, `this pattern cannot be used: ${why}`, 'use RE2 syntax; patterns match the whole text');
  }
}
