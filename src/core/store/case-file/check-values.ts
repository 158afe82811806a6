import { entityKinds } from '../../../model/entity.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { FIRST_YEAR, LAST_YEAR } from '../../../model/time.ts';
import { rowsOf } from './case-file.ts';

/** What times of any recording lie in: importers refuse others. */
const FIRST_NS = BigInt(Date.UTC(FIRST_YEAR, 0)) * 1_000_000n;
const LAST_NS = BigInt(Date.UTC(LAST_YEAR + 1, 0)) * 1_000_000n;
/** No clock is off by more; beyond it a corrected time would leave 64 bits. */
const MOST_OFFSET_NS = 2n ** 58n;

/** Texts that are read as JSON. */
const jsonColumns: ReadonlySet<string> = new Set([
  'attributes',
  'body',
  'detail',
  'details',
  'input_sizes',
  'output_sizes',
  'remarks',
  'rows',
]);
/** By column where a text may be something else, too. */
const jsonTables: ReadonlySet<string> = new Set(['annotation', 'source']);
/** What is never left out, and always of one shape. */
const shapes: Readonly<Record<string, string>> = {
  'annotation.body': 'OBJECT',
  'source.rows': 'OBJECT',
  'source.remarks': 'ARRAY',
};
/** Brackets below which a text cannot be nested too deeply. */
const FEW_BRACKETS = 1000;
/** Deeper than anything that was recorded; what reads it calls itself once a level. */
const MOST_DEEP = 1000;
/** Texts that are looked at at once: each may be long. */
const AT_ONCE = 200;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Error in the values of a foreign table, as text; null: none. */
export async function wrongValues(session: Session, table: string, columns: readonly Column[]): Promise<string | null> {
  const rules = columns.flatMap((column) => ruleOf(table, column));
  if (rules.length === 0) return null;
  const counts = rules.map(({ wrong }, i) => `count(*) filter (where ${wrong})::double as r${i}`).join(', ');
  const [found] = rowsOf<Record<string, number>>(await session.query(`select ${counts} from "${table}"`));
  const at = rules.findIndex((_, i) => (found?.[`r${i}`] ?? 0) > 0);
  if (at >= 0) return `${found?.[`r${at}`]} rows whose ${rules[at]?.what}`;
  return tooDeep(session, table, columns);
}

interface Rule {
  /** As it follows `rows whose`. */
  readonly what: string;
  /** SQL: the value cannot be one that was recorded. */
  readonly wrong: string;
}

function ruleOf(table: string, { name, type }: Column): Rule[] {
  const column = `"${name}"`;
  if (name === 'clock_offset_ns' || name === 'clock_uncertainty_ns')
    return [{ what: `${name} is no clock error`, wrong: `abs(${column}::hugeint) > ${MOST_OFFSET_NS}` }];
  // The ends of 64 bits mean always.
  if (name === 'valid_from_ns' || name === 'valid_to_ns') return [];
  if (type === 'BIGINT' && name.endsWith('_ns'))
    return [
      {
        what: `${name} is no time from ${FIRST_YEAR} to ${LAST_YEAR}`,
        wrong: `${column} not between ${FIRST_NS} and ${LAST_NS}`,
      },
    ];
  if (name === 'kind' && table === 'entity')
    return [
      { what: 'kind is unknown', wrong: `${column} not in (${entityKinds.map((kind) => `'${kind}'`).join(', ')})` },
    ];
  if (!isJson(table, name)) return [];
  const valid = `json_valid(${column})`;
  const wanted = shapes[`${table}.${name}`];
  if (wanted === undefined) return [{ what: `${name} is no JSON`, wrong: `${column} <> '' and not ${valid}` }];
  return [
    {
      what: `${name} is no JSON ${wanted}`,
      wrong: `case when ${valid} then json_type(${column}) <> '${wanted}' else true end`,
    },
  ];
}

/** Bodies of logs are any text; those of annotations are JSON. */
const isJson = (table: string, name: string): boolean =>
  jsonColumns.has(name) && (jsonTables.has(table) || (name !== 'body' && name !== 'rows'));

async function tooDeep(session: Session, table: string, columns: readonly Column[]): Promise<string | null> {
  for (const { name } of columns.filter((column) => isJson(table, column.name))) {
    const column = `"${name}"`;
    const brackets = `length(${column}) - length(replace(replace(${column}, '[', ''), '{', ''))`;
    const sql = `select rowid as at, ${column} as text from "${table}" where ${brackets} > ${FEW_BRACKETS} and rowid > $1 order by rowid limit ${AT_ONCE}`;
    for (let last = -1n, count = AT_ONCE; count === AT_ONCE; ) {
      const found = rowsOf<{ at: bigint; text: string }>(await session.query(sql, [last]));
      if (found.some(({ text }) => depthOf(text) > MOST_DEEP))
        return `rows whose ${name} is nested more than ${MOST_DEEP} deep`;
      count = found.length;
      last = found.at(-1)?.at ?? last;
    }
  }
  return null;
}

/** How deep lists and objects lie in each other in a JSON text. */
function depthOf(json: string): number {
  let [depth, deepest, inText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
}
