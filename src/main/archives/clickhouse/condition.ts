import { fail } from '../../../model/problem.ts';

/** Characters of a condition, and parentheses within parentheses. */
const LONGEST = 10_000;
const DEEPEST = 50;

/**
 * What may be called: functions of the row alone (https://clickhouse.com/docs/sql-reference/functions), and types with parameters. Others may
 * read files, dictionaries, other tables or settings, or wait.
 */
const functions = [
  'and|or|not|xor|if|multiIf|coalesce|ifNull|nullIf|isNull|isNotNull|assumeNotNull|toNullable|greatest|least',
  'equals|notEquals|less|greater|lessOrEquals|greaterOrEquals|abs|round|floor|ceil|modulo|intDiv|isFinite|isNaN',
  '(?:not)?i?like|match|multiMatchAny|multiSearchAny(?:CaseInsensitive)?|position(?:CaseInsensitive)?(?:UTF8)?|hasToken(?:CaseInsensitive)?',
  'startsWith|endsWith|(?:lower|upper|length)(?:UTF8)?|empty|notEmpty|substr(?:ing)?(?:UTF8)?|concat|trim(?:Left|Right|Both)?|left|right',
  'replace(?:All|One|RegexpAll|RegexpOne)|extract|splitBy(?:Char|String)|hex|reverse|arrayStringConcat',
  'mapContains(?:Key|Value)?(?:Like)?|mapKeys|mapValues|has|hasAny|hasAll|indexOf|array(?:Exists|All|Count|Element|Filter|Map)|tuple(?:Element)?|array|map',
  '(?:simple)?JSON(?:Extract(?:String|Int|UInt|Float|Bool|Raw|Keys)?|Has|Length|Type)|isValidJSON|(?:JSON_VALUE|JSON_EXISTS)',
  'to(?:U?Int|Float|Date|DateTime|String|Decimal|Bool|UUID|IPv[46])\\w*|parseDateTime\\w*|(?:from|to)UnixTimestamp\\w*|accurateCastOrNull|cast',
  'to(?:Start|Year|Month|Week|Day|Hour|Minute|Second|Time|Monday|Interval)\\w*|date(?:_trunc|Trunc|_diff|Diff)|now(?:64)?|today|yesterday',
  'cityHash64|xxHash(?:32|64)|sipHash64|murmurHash\\w*|halfMD5|isIPAddressInRange|IPv[46](?:StringToNum|NumToString)\\w*|domain|path',
  'Array|Map|Tuple|Nullable|LowCardinality|FixedString|Decimal(?:32|64|128|256)?|DateTime(?:64)?',
];
const callable = new RegExp(`^(?:${functions.join('|')})$`, 'i');

/** Words before a parenthesis that call nothing. */
const operators = /^(?:and|or|not|in|like|ilike|between|is|div|mod|case|when|then|else|interval|xor)$/i;
/** Words that read something else or end the condition; a column of that name is written in backticks. */
const statements =
  /^(?:select|with|from|where|prewhere|having|union|intersect|except|join|limit|offset|order|group|settings|format|into|outfile|values|exists|columns|any|all|over|window|global|table|final|sample|qualify|explain|insert|system)$/i;

type Token = readonly [kind: 'word' | 'name' | 'text' | 'number' | 'mark', text: string, at: number];

/** Closed quotes, where a backslash escapes and a doubled quote stands for itself; words; numbers; marks of expressions. */
const TOKEN =
  /(?<text>'(?:[^'\\]|\\.|'')*')|(?<name>`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*")|(?<number>\d[\w.]*|\.\d[\w.]*)|(?<word>[A-Za-z_]\w*)|(?<mark>--|\/\*|->|::|!=|<>|<=|>=|==|\|\||[-+*/%=<>()[\],.])/sy;
const SPACE = /[ \t\r\n]*/y;

function refuse(why: string, at: number, hint: string): never {
  return fail('archive.condition', `this condition is refused: ${why} (character ${at + 1})`, { hint });
}

const OWN_ROWS =
  "a condition is an expression about the columns of one row, such as SpanAttributes['http.route'] = '/v1'";

/**
 * A condition that people write, as one expression about the columns of a row: it cannot end the parenthesis that it is put in, nor
 * read another table, a file or an address. @throws ProblemError archive.condition
 */
export function checkedCondition(text: string): string {
  if (text.length > LONGEST) refuse(`it has more than ${LONGEST} characters`, LONGEST, 'write a shorter one');
  const tokens = tokensOf(text);
  if (tokens.length === 0) refuse('it is empty', 0, OWN_ROWS);
  checkNesting(tokens);
  for (const [at, token] of tokens.entries()) checkToken(tokens, token, at);
  return text;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)![0].length;
    if (at >= text.length) return tokens;
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    const found = Object.entries(groups ?? {}).find(([, part]) => part !== undefined);
    if (!found) {
      const character = text[at]!;
      if (/['"`]/.test(character)) return refuse('a quote is not closed', at, `close it with ${character}`);
      return refuse(
        `${JSON.stringify(character)} is not part of an expression`,
        at,
        "texts stand in straight quotes: '…'",
      );
    }
    const [kind, part] = found as [Token[0], string];
    if (part.includes('\0')) refuse('it has a character with the code 0', at, 'leave it out');
    if (part === '--' || part === '/*')
      refuse('it has a comment', at, 'leave it out; two minus signs need a blank between them');
    tokens.push([kind, part, at]);
    at += part.length;
  }
}

const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

function checkNesting(tokens: readonly Token[]): void {
  const open: Token[] = [];
  for (const token of tokens) {
    const [kind, text, at] = token;
    if (kind !== 'mark') continue;
    if (text === '(' || text === '[') open.push(token);
    if (open.length > DEEPEST) refuse(`parentheses are nested more than ${DEEPEST} deep`, at, 'write a simpler one');
    if (text in pairs && open.pop()?.[1] !== pairs[text]) refuse(`${text} closes nothing`, at, 'remove it');
  }
  const last = open.at(-1);
  if (last) refuse(`${last[1]} is not closed`, last[2], 'close it');
}

function checkToken(tokens: readonly Token[], [kind, text, at]: Token, place: number): void {
  const next = tokens[place + 1]?.[1];
  // Also in quotes a name that is called is a function.
  if (kind === 'name' && next === '(') refuse(`${text} is called`, at, OWN_ROWS);
  if (kind !== 'word') return;
  if (/^in$/i.test(text)) return checkList(tokens, place + 1, at);
  if (statements.test(text)) refuse(`${text} is part of a statement`, at, OWN_ROWS);
  if (next === '(' && !operators.test(text) && !callable.test(text))
    refuse(`the function ${text} may read more than the row`, at, OWN_ROWS);
}

/** Behind IN a name would be that of a table: there stand values only. */
function checkList(tokens: readonly Token[], from: number, at: number): void {
  const only = (): never => refuse('IN is followed by something else than values', at, "write IN ('a', 'b')");
  if (tokens[from]?.[1] !== '(' && tokens[from]?.[1] !== '[') return only();
  let depth = 0;
  for (const [kind, text] of tokens.slice(from)) {
    if (text === '(' || text === '[') depth++;
    else if (text === ')' || text === ']') depth--;
    else if (kind === 'name' || (kind === 'word' && !/^(?:true|false|null|nan|inf)$/i.test(text))) return only();
    else if (kind === 'mark' && !/^[-+,]$/.test(text)) return only();
    if (depth === 0) return;
  }
}
