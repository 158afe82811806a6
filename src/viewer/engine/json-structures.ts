type Structure = string | readonly Structure[] | { readonly [member: string]: Structure };

const CALL = 'json_transform(';
const MAP = '"MAP(VARCHAR, VARCHAR)"';

/**
 * The same statement without `json_transform` into structs and lists, which no macro can express: their members are read one by one.
 * Questions write the structure as a literal; any other is left to the macro, which refuses it.
 */
export function withoutStructures(sql: string): string {
  const at = sql.indexOf(CALL);
  if (at < 0) return sql;
  const call = readCall(sql, at + CALL.length);
  const head = sql.slice(0, at);
  if (!call) return head + CALL + withoutStructures(sql.slice(at + CALL.length));
  const document = `(${withoutStructures(call.document)})::varchar`;
  const value = `list_transform([${document}], lambda d0: ${memberOf(call.structure, 'd0', 0)})[1]`;
  return head + value + withoutStructures(sql.slice(call.end));
}

interface Call {
  readonly document: string;
  readonly structure: Structure;
  /** Behind the closing parenthesis. */
  readonly end: number;
}

/** The arguments of a call that begin at `from`; null if the second one is no literal structure. */
function readCall(sql: string, from: number): Call | null {
  let depth = 0;
  let comma = -1;
  for (let at = from; at < sql.length; at++) {
    const letter = sql[at];
    if (letter === "'") at = closingQuote(sql, at);
    else if (letter === '(' || letter === '[') depth++;
    else if (letter === ',' && depth === 0 && comma < 0) comma = at;
    else if ((letter === ')' || letter === ']') && depth-- === 0)
      return comma < 0 ? null : toCall(sql, { from, comma, at });
  }
  return null;
}

const closingQuote = (sql: string, open: number): number => {
  const close = sql.indexOf("'", open + 1);
  return close < 0 ? sql.length : close;
};

function toCall(sql: string, { from, comma, at }: Record<'from' | 'comma' | 'at', number>): Call | null {
  const literal = /^\s*'([^']*)'\s*$/.exec(sql.slice(comma + 1, at))?.[1];
  if (literal === undefined || literal === MAP) return null;
  return { document: sql.slice(from, comma), structure: JSON.parse(literal) as Structure, end: at + 1 };
}

/** The value of a JSON document, which the variable `document` holds as text. */
function memberOf(structure: Structure, document: string, depth: number): string {
  const inner = `d${depth + 1}`;
  if (typeof structure === 'string') return cast(document, structure);
  if (isList(structure)) {
    const [element = 'VARCHAR'] = structure;
    return `list_transform(faultline_json_values(${document}, '$')::varchar[], lambda ${inner}: ${memberOf(element, inner, depth + 1)})`;
  }
  return `struct_pack(${members(structure, document, '$').join(', ')})`;
}

const isList = (structure: Structure): structure is readonly Structure[] => Array.isArray(structure);

const members = (structure: { readonly [member: string]: Structure }, document: string, path: string): string[] =>
  Object.entries(structure).map(([name, one]) => {
    const place = `${path}."${name}"`;
    const value =
      typeof one === 'string' || isList(one)
        ? cast(`faultline_json_text(${document}, '${place}')`, typeof one === 'string' ? one : 'VARCHAR')
        : `struct_pack(${members(one, document, place).join(', ')})`;
    return `"${name}" := ${value}`;
  });

const cast = (text: string, type: string): string => (type === 'VARCHAR' ? text : `try_cast(${text} as ${type})`);
