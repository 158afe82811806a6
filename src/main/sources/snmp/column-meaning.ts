import { decoders } from './decoders.ts';
import type { Meaning } from './meaning.ts';
import type { ColumnForm, Fields } from './profile.ts';
import { attributesOf, caseAt, formValue, holds, numberAt, type Row, textAt } from './row.ts';

/** Fields by which the meaning of a column differs between rows. */
const perRow = ['when', 'needs', 'by', 'choose', 'scale_by', 'codes_in', 'called'] as const;

/** Whether all rows have the same meaning. */
export function isFixed({ attributes = {}, decoder, fahrenheit, unit, ...form }: ColumnForm): boolean {
  const texts = [...Object.values(attributes), ...(unit ? [unit] : [])];
  return (
    !decoder &&
    typeof fahrenheit !== 'object' &&
    perRow.every((name) => form[name] === undefined) &&
    texts.every(({ constant }) => constant !== undefined)
  );
}

/** What the value of a column is in a row. */
export function meaningOf(row: Row, column: ColumnForm): Meaning {
  if (column.decoder) return decoders[column.decoder.name](row, column.object, column.decoder);
  const fields = fieldsOf(row, column);
  if (fields === undefined || typeof fields === 'string') return fields;
  if (fields.remark !== undefined) return fields.remark;
  const attributes = attributesOf(row, fields.attributes);
  const codes = fields.codes_in === undefined ? fields.codes : codesIn(row.text(fields.codes_in));
  if (codes) return { codes, as: fields.as, attributes };
  const called = fields.called && String(formValue(row, fields.called) ?? '').replaceAll(' ', '.');
  const own = { name: called ?? column.object, unit: String((fields.unit && formValue(row, fields.unit)) ?? '') };
  const { fahrenheit = false, limits = {}, metric = own, missing = [], signed = false } = fields;
  const isFahrenheit = typeof fahrenheit === 'object' ? holds(row, fahrenheit) : fahrenheit;
  return { metric, scale: scaleOf(row, fields), signed, fahrenheit: isFahrenheit, missing, limits, attributes };
}

/** The fields that count for a row, or why there are none. */
function fieldsOf(row: Row, column: Fields): Fields | string | undefined {
  let fields = column;
  for (;;) {
    const { by, choose, needs, when, ...others } = fields;
    if (when && !holds(row, when)) return undefined;
    if (needs?.columns.some((one) => Number.isNaN(row.number(one)))) return needs.remark;
    if (!by && !choose) return fields;
    const chosen = by ? caseOf(row, by) : choose?.find((one) => !one.when || holds(row, one.when));
    if (!chosen) return undefined;
    fields = { ...others, ...chosen };
  }
}

function caseOf(row: Row, by: NonNullable<Fields['by']>): Fields | undefined {
  const absent = Number.isNaN(numberAt(row, by)) ? by.absent : undefined;
  return caseAt(row, by, by.cases) ?? absent ?? by.else;
}

/** More or fewer digits are no digits. */
const [FEWEST_DIGITS, MOST_DIGITS] = [-8, 9];

function scaleOf(row: Row, { scale = 1, scale_by = [] }: Fields): number {
  let [factor, exponent] = [scale, 0];
  for (const part of scale_by) {
    const number = numberAt(row, part);
    if (part.as === 'divisor') factor *= number > 0 ? 1 / number : 1;
    else if (part.as === 'factor') factor *= factorIn(textAt(row, part));
    // EntitySensorDataScale: from yocto (1) to yotta (17); 9 is one.
    else if (part.as === 'si') exponent += number >= 1 && number <= 17 ? (number - 9) * 3 : 0;
    else exponent -= number >= FEWEST_DIGITS && number <= MOST_DIGITS ? number : 0;
  }
  return factor * 10 ** exponent;
}

/** `-10` divides by ten, `+10` and `10` multiply. */
function factorIn(text: string): number {
  const [, sign = '', digits = '1'] = /^([-+]?)(\d{1,9})$/.exec(text) ?? [];
  const factor = Number(digits) || 1;
  return sign === '-' ? 1 / factor : factor;
}

/** `Open(0),Closed(1)` */
const codesIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([^,()]+)\((\d{1,6})\)/g)].map((match) => [match[2], match[1]?.trim() ?? '']));
