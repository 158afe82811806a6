import type { CaseInfo } from '../../../model/contract/index.ts';
import { BUNDLE_FORMAT_VERSION } from '../../../model/storage/bundle.ts';
import { SCHEMA_VERSION, storedTables } from '../../store/tables/index.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Workspace } from '../workspace.ts';

/**
 * What a report about Faultline itself needs. It is pasted into public places: of the case it holds counts by our own words
 * (formats, tables, layers), and no name, text or time of a record, no path and no host.
 */
export async function diagnosticsText(
  desk: Workspace,
  { version, host, platform, reader }: Pick<ApiDependencies, 'version' | 'host' | 'platform' | 'reader'>,
): Promise<string> {
  const info = await desk.current()?.info();
  const lines: (readonly [string, string])[] = [
    ['faultline', `${version}, ${host.kind}`],
    ...(platform?.() ?? []),
    ['newest', `schema ${SCHEMA_VERSION} of cases, format ${BUNDLE_FORMAT_VERSION} of bundles`],
    ...(info ? caseLines(info, new Set(reader.formats.map(({ id }) => id))) : ([['case', 'none is open']] as const)),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

function caseLines(
  { schema_version, sources, rows, rejects, layers_present }: CaseInfo,
  formats: ReadonlySet<string>,
): (readonly [string, string])[] {
  // A stranger's case may state any text as a format or a table.
  const ownWord = (format: string) => (formats.has(format) ? format : format.endsWith('-live') ? 'live' : 'other');
  const byFormat = Map.groupBy(sources, ({ format }) => ownWord(format));
  return [
    ['case', `schema ${schema_version}, ${sources.length} sources, ${rejects} rejects`],
    ['formats', listed([...byFormat].map(([format, of]) => [format, of.length]))],
    ['rows', listed(Object.entries(rows).filter(([table]) => storedTables.includes(table)))],
    ['layers', layers_present.join(', ') || 'none'],
  ];
}

const listed = (counts: readonly (readonly [string, number])[]): string =>
  counts.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
