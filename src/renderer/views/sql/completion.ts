import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { SQLDialect } from '@codemirror/lang-sql';
import type { Relation } from '../../../model/contract/index.ts';

/** The part of DuckDB's SQL that a read-only query needs; statements that change a database are not included. */
export const sqlDialect = SQLDialect.define({
  keywords: `select from where group by order limit offset having qualify as and or not in is null true false case when then
    else end join left right full inner cross asof anti semi on using with recursive distinct filter over partition rows
    range between like ilike similar to union except intersect all exists asc desc nulls first last interval explain
    analyze values unnest pivot unpivot sample exclude replace cast within at rollup cube sets grouping window lateral`,
  types: `bigint boolean date decimal double float hugeint integer json smallint time timestamp timestamp_ns timestamptz
    tinyint ubigint uinteger varchar list map struct`,
  builtin: '',
  operatorChars: '*+-%<>!=&|~^/:',
  doubleDollarQuotedStrings: true,
  hashComments: false,
});

/** Functions that are useful for recordings; DuckDB has hundreds more. */
const functions = `abs any_value approx_count_distinct arg_max arg_min avg coalesce concat contains count date_diff
  date_part date_trunc epoch_ns first greatest json_extract_string lag last lead least len list lower make_timestamp_ns max
  median min mode quantile_cont regexp_extract regexp_matches replace round row_number split_part starts_with stddev string_agg
  strftime substring sum time_bucket trace try_cast upper`
  .split(/\s+/)
  .map((label): Completion => ({ label, type: 'function', detail: 'function' }));

/** Relations, the columns of relations in the text (or of all views if it names none), and functions. */
export function completeNames(relations: readonly Relation[]) {
  const known = relations.filter(({ kind }) => kind !== 'function');
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w]+$/);
    if (!word && !context.explicit) return null;
    const wantsTable = /\b(from|join)\s+\w*$/i.test(context.state.sliceDoc(0, context.pos));
    const named = namedIn(context.state.doc.toString(), known);
    const shown = named.length > 0 ? named : known.filter(({ kind }) => kind === 'view');
    const columns = shown.flatMap(({ name, columns: own }) =>
      own.map(
        (column): Completion => ({
          label: column.name,
          type: 'property',
          detail: `${name}, ${column.type.toLowerCase()}`,
          boost: wantsTable ? -2 : 2,
        }),
      ),
    );
    const tables = known.map(
      ({ name, kind }): Completion => ({ label: name, type: 'type', detail: kind, boost: kind === 'view' ? 1 : -1 }),
    );
    return { from: word?.from ?? context.pos, options: [...columns, ...tables, ...functions], validFor: /^\w*$/ };
  };
}

/** `trace('…')` has the columns of spans. */
function namedIn(text: string, relations: readonly Relation[]): readonly Relation[] {
  const words = new Set(text.toLowerCase().match(/[a-z_]\w*/g));
  if (words.has('trace')) words.add('spans');
  return relations.filter(({ name }) => words.has(name.toLowerCase()));
}
