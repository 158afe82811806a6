export type TableKind = 'traces' | 'logs' | 'metrics';

/** Parallel arrays of a nested column as one list of named members, as the importer of Parquet reads events and links. */
const listOf = (name: string, members: readonly (readonly [name: string, type: string])[]): string =>
  `CAST(arrayZip(${members.map(([member]) => `\`${name}.${member}\``).join(', ')}) AS Array(Tuple(${members
    .map(([member, type]) => `${member} ${type}`)
    .join(', ')}))) AS ${name}`;

const ATTRIBUTES = 'Map(String, String)';
const events = listOf('Events', [
  ['Timestamp', "DateTime64(9, 'UTC')"],
  ['Name', 'String'],
  ['Attributes', ATTRIBUTES],
]);
const links = listOf('Links', [
  ['TraceId', 'String'],
  ['SpanId', 'String'],
  ['TraceState', 'String'],
  ['Attributes', ATTRIBUTES],
]);

/** The column with the time of each kind of table, and what is selected of it. */
export const tableKinds: Readonly<Record<TableKind, { readonly time: string; readonly columns: string }>> = {
  traces: { time: 'Timestamp', columns: `* EXCEPT('^(Events|Links)\\\\.'), ${events}, ${links}` },
  logs: { time: 'Timestamp', columns: '*' },
  metrics: { time: 'TimeUnix', columns: '*' },
};

export const literal = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
export const identifier = (text: string): string =>
  `\`${text.replaceAll('\\', String.raw`\\`).replaceAll('`', String.raw`\``)}\``;
