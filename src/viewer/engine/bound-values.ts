import type { SqlValue } from '../../model/storage/engine.ts';

const INT32 = 2 ** 31;

/** A value as SQL, of the type that the native engine binds it with. */
export function literal(value: SqlValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'bigint') return `(${value})::${BigInt.asIntN(64, value) === value ? 'bigint' : 'hugeint'}`;
  if (!Number.isInteger(value)) return `'${value}'::double`;
  return `(${value})::${value >= -INT32 && value < INT32 ? 'integer' : 'bigint'}`;
}

/** A text with a zero in it would end there. */
const textLiteral = (text: string): string =>
  text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ');
