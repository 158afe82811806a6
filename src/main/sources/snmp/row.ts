import type { AttributeForms, Condition, Constant, TextForm, ValueSource } from './profile.ts';
import type { SnmpWalk } from './walk.ts';

/** One row of a table, for columns that need other columns. */
export class Row {
  readonly walk: SnmpWalk;
  private readonly table: { readonly at: string; readonly base: string };
  readonly index: string;

  constructor(walk: SnmpWalk, table: { readonly at: string; readonly base: string }, index: string) {
    this.walk = walk;
    this.table = table;
    this.index = index;
  }

  number(column: number): number {
    return this.walk.number(this.ofColumn(column));
  }

  text(column: number): string {
    return this.walk.text(this.ofColumn(column));
  }

  part(position: number): string {
    return this.index.split('.').at(position) ?? '';
  }

  /** OID of a value of another table. */
  oid({ at = '', index_in, parts, scalar }: ValueSource): string {
    const column = at.startsWith('.') ? this.table.base + at : at;
    if (scalar) return column;
    if (index_in !== undefined) return `${column}.${this.text(index_in)}`;
    return `${column}.${parts === undefined ? this.index : this.index.split('.').slice(0, parts).join('.')}`;
  }

  private ofColumn(column: number): string {
    return `${this.table.at}.${column}.${this.index}`;
  }
}

/** NaN if there is no number. */
export function numberAt(row: Row, source: ValueSource): number {
  const { at, column, part } = source;
  if (column !== undefined) return row.number(column);
  if (at !== undefined) return row.walk.number(row.oid(source));
  return Number(part === 'all' ? row.index : row.part(part ?? 0));
}

/** '' if there is no value. */
export function textAt(row: Row, source: ValueSource): string {
  const { at, column, part } = source;
  if (column !== undefined) return row.text(column);
  if (at !== undefined) return row.walk.text(row.oid(source));
  return part === 'all' ? row.index : row.part(part ?? 0);
}

/** The case of a value: by its number, else by its text. */
export function caseAt<T>(row: Row, source: ValueSource, cases: Readonly<Record<string, T>>): T | undefined {
  const number = numberAt(row, source);
  const key = Number.isNaN(number) ? textAt(row, source) : String(number);
  return Object.hasOwn(cases, key) ? cases[key] : undefined;
}

export function holds(row: Row, condition: Condition): boolean {
  const { above, any, between, exists, is, is_not, matches, not_above, numeric } = condition;
  if (any) return any.some((one) => holds(row, one));
  const number = numberAt(row, condition);
  const most = typeof not_above === 'string' ? row.walk.number(row.oid({ at: not_above, scalar: true })) : not_above;
  return (
    is?.includes(number) !== false &&
    !is_not?.includes(number) &&
    !(above !== undefined && !(number > above)) &&
    !(most !== undefined && number > most) &&
    !(between && !(number >= between[0] && number <= between[1])) &&
    !(numeric !== undefined && Number.isNaN(number) === numeric) &&
    !(exists !== undefined && (textAt(row, condition) !== '') !== exists) &&
    matches?.test(textAt(row, condition)) !== false
  );
}

/** Undefined if the form has no value for this row. */
export function formValue(row: Row, form: TextForm): Constant | undefined {
  if (form.constant !== undefined) return form.constant;
  if (form.when && !holds(row, form.when)) return undefined;
  const own = ownValue(row, form);
  const found = own === undefined && form.else ? formValue(row, form.else) : own;
  return found === undefined || found === null || !form.prefix ? (found ?? undefined) : `${form.prefix}${found}`;
}

/** Undefined: what is in `else` counts. */
function ownValue(row: Row, form: TextForm): string | null | undefined {
  const { above, cases, ends, without } = form;
  if (cases) return caseAt(row, form, cases);
  if (above !== undefined && !(numberAt(row, form) > above)) return undefined;
  const text = textAt(row, form);
  if (ends) return Object.entries(ends).find(([end]) => `.${text}`.endsWith(`.${end}`))?.[1];
  const plain = without && text.endsWith(without) ? text.slice(0, -without.length) : text;
  return plain === '' && form.else ? undefined : plain;
}

/** Attributes without a value are left out. */
export function attributesOf(row: Row, forms: AttributeForms = {}): Readonly<Record<string, Constant>> {
  const found: Record<string, Constant> = {};
  for (const [name, form] of Object.entries(forms)) {
    const value = formValue(row, form);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
