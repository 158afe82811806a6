import type { FleetValues } from '../../../model/storage/fleet-store.ts';

const escapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  "'": String.raw`\'`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\0': String.raw`\0`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
};

const escaped = (text: string): string => text.replaceAll(/[\\'\t\n\r\0\b\f]/g, (letter) => escapes[letter]!);

const inList = (value: string | number | bigint): string =>
  typeof value === 'string' ? `'${escaped(value)}'` : String(value);

/**
 * Values as the HTTP interface takes them, for `{name:Type}` of a statement: in the escaped form of its text formats
 * (https://clickhouse.com/docs/interfaces/http#cli-queries-with-parameters).
 */
export const parametersOf = (values: FleetValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `param_${name}`,
      typeof value === 'object' ? `[${value.map(inList).join(',')}]` : escaped(String(value)),
    ]),
  );
