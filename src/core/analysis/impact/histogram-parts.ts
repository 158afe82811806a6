import { jsonMembers } from '../../../base/json-members.ts';
import type { ServicePart } from '../../../model/incident/incident.ts';
import { seriesParts } from '../../../model/telemetry/serving-attributes.ts';
import type { HistogramFact, Reader } from '../../store/facts/reader.ts';
import { servedHistograms, servedSeries, toTable } from './histogram-measurements.ts';
import type { Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Parts of the requests of services by attributes of their histograms of durations, of kinds of which there are several. */
export async function histogramParts(reader: Reader): Promise<Measurements[]> {
  const series = await servedSeries(reader);
  const parts = new Map(series.map(({ series_id, attributes }) => [series_id, namedParts(attributes)]));
  // Most cases have none, and histograms are many rows.
  const named = new Set(
    [...parts.values()].flatMap((own) => own.map(({ kind, name }) => JSON.stringify([kind, name]))),
  );
  if (named.size < 2) return [];
  const served = await servedHistograms(reader, series);
  return [...served].flatMap(([service, rows]) => ofService(service, rows, parts));
}

type PartsBySeries = ReadonlyMap<number, readonly ServicePart[]>;

function ofService(service: number, rows: readonly HistogramFact[], parts: PartsBySeries): Measurements[] {
  const kinds = Map.groupBy(
    [...Map.groupBy(rows, ({ series_id }) => series_id)].flatMap(([series_id, facts]) =>
      (parts.get(series_id) ?? []).map((part) => ({ part, facts })),
    ),
    ({ part }) => part.kind,
  );
  return [...kinds].flatMap(([kind, own]) => {
    const names = Map.groupBy(own, ({ part }) => part.name);
    if (names.size < 2) return [];
    return [...names]
      .map(([name, series]) => {
        const table = toTable(
          service,
          series.flatMap(({ facts }) => facts),
        );
        // Few requests for a part are no incident.
        return { ...table, throughput: table.throughput.fill(Number.NaN), part: { kind, name } };
      })
      .map((table) => ({ table, requests: table.requests.reduce((sum, count) => sum + (count || 0), 0) }))
      .filter(({ requests }) => requests >= impact.leastPartBefore + impact.leastPartRequests)
      .toSorted((a, b) => b.requests - a.requests)
      .slice(0, impact.mostParts)
      .map(({ table }) => table);
  });
}

/** Parts that the attributes of a series name: one of each kind, by the preferred name of its attributes. @param attributes JSON object text, or '' */
export function namedParts(attributes: string): ServicePart[] {
  const members = jsonMembers(attributes);
  const found = new Map<ServicePart['kind'], string>();
  for (const { name, part } of seriesParts) {
    const value = members[name];
    if (!found.has(part) && typeof value === 'string' && value !== '') found.set(part, value.slice(0, LONGEST_NAME));
  }
  return [...found].map(([kind, name]) => ({ kind, name }));
}

const LONGEST_NAME = 200;
