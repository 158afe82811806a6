import type { CaseInfo, SourceInfo } from '../../../model/contract/index.ts';
import { layerOf, layers } from '../../../model/entity.ts';
import type { StoredCase } from '../../../model/storage/case-storage.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { one, rowsOf } from '../../store/case-file/case-file.ts';
import { readExcerptText } from '../../store/case-file/excerpt.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import { SCHEMA_VERSION } from '../../store/tables/index.ts';
import { readRecordedUntil } from '../../store/writer/recorded-until.ts';

/** What a case holds, and of which time. */
export async function readCaseInfo(
  session: Session,
  { name, olderCopies = [] }: Pick<StoredCase, 'name' | 'olderCopies'>,
): Promise<CaseInfo> {
  const sources = await readSources(session);
  const until = await readRecordedUntil(session);
  const kinds = await createReader(session).recordedKinds();
  const present = new Set(kinds.map(layerOf));
  const version = await one<{ value: string }>(session, "select value from meta where key = 'schema_version'");
  return {
    name,
    schema_version: Number(version?.value ?? SCHEMA_VERSION),
    first_ns: extreme(
      sources.map((source) => shifted(source.first_ns, source)),
      (a, b) => a < b,
    ),
    last_ns: latest(sources.map((source) => shifted(source.last_ns, source))),
    recorded_until_ns: latest(
      sources.map((source) => earlierOf(shifted(source.last_ns, source), until.get(source.source_id))),
    ),
    rows: totals(sources),
    rejects: sources.reduce((sum, source) => sum + source.rejects, 0),
    layers_present: layers.filter((layer) => present.has(layer)),
    layers_missing: layers.filter((layer) => !present.has(layer)),
    excerpt: await readExcerptText(session),
    older_copies: [...olderCopies],
    sources,
  };
}

interface SourceRow extends Omit<SourceInfo, 'rows' | 'bytes' | 'rejects' | 'remarks' | 'entities'> {
  readonly rows: string;
  readonly bytes: bigint;
  readonly rejects: bigint;
  readonly remarks: string;
}

export async function readSources(session: Session): Promise<SourceInfo[]> {
  const introduced = rowsOf<{ source_id: number; kind: string; entities: number }>(
    await session.query(queries.entitiesIntroduced),
  );
  const bySource = Map.groupBy(introduced, ({ source_id }) => source_id);
  return rowsOf<SourceRow>(await session.query(queries.sources)).map((source) => ({
    ...source,
    rows: JSON.parse(source.rows) as Record<string, number>,
    bytes: Number(source.bytes),
    rejects: Number(source.rejects),
    remarks: JSON.parse(source.remarks) as string[],
    entities: Object.fromEntries((bySource.get(source.source_id) ?? []).map(({ kind, entities }) => [kind, entities])),
  }));
}

const shifted = (time: bigint | null, { clock_offset_ns }: { readonly clock_offset_ns: bigint }): bigint | null =>
  time === null ? null : time + clock_offset_ns;

function extreme(times: readonly (bigint | null)[], better: (a: bigint, b: bigint) => boolean): bigint | null {
  return times.reduce<bigint | null>(
    (best, time) => (time !== null && (best === null || better(time, best)) ? time : best),
    null,
  );
}

const latest = (times: readonly (bigint | null)[]): bigint | null => extreme(times, (a, b) => a > b);

const earlierOf = (time: bigint | null, bound: bigint | undefined): bigint | null =>
  time !== null && bound !== undefined && bound < time ? bound : time;

function totals(sources: readonly { readonly rows: Readonly<Record<string, number>> }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { rows } of sources)
    for (const [table, count] of Object.entries(rows)) sums[table] = (sums[table] ?? 0) + count;
  return sums;
}
