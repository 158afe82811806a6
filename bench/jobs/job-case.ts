import { investigate } from '../../src/core/analysis/correlate.ts';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import type { Incident } from '../../src/model/incident/incident.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import type { GeneratedJob, JobSpan } from './job-steps.ts';

const BEGIN_NS = 1_767_225_600_000_000_000n;
export const atSecond = (second: number): bigint => BEGIN_NS + BigInt(Math.round(second * 1e9));

/** An incident of a generated job, with its onset in seconds after the beginning. */
export interface FoundIncident {
  readonly incident: Pick<Incident, 'harm' | 'affected_services' | 'affected_parts' | 'slowed_times'>;
  readonly earliest_s: number;
  readonly onset_s: number;
}

/** The incidents of a case that contains nothing but this job. */
export async function incidentsOf(job: GeneratedJob): Promise<FoundIncident[]> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'bench');
  const session = await engine.session();
  const source = { name: 'job', format: 'test', imported_at_ns: 0n, clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const writer = await SourceWriter.begin(session, source);
  await writer.append(rowsOf(job).finish(0));
  await writer.commit({ digest: '', bytes: 0 });
  const { conclusions } = await investigate(createReader(session), correlateOptionsSchema.parse({}));
  session.close();
  await engine.close();
  const seconds = (time_ns: bigint): number => Number(time_ns - BEGIN_NS) / 1e9;
  return conclusions.map(({ incident, window }) => ({
    incident,
    earliest_s: seconds(window.onset_earliest_ns),
    onset_s: seconds(window.onset_ns),
  }));
}

function rowsOf({ spans }: GeneratedJob): BatchBuilder {
  const builder = new BatchBuilder();
  const service = builder.entity('service', 'pretrain');
  const parents = new Map<number, bigint>();
  spans.forEach((span, i) => {
    const span_id = BigInt(i + 1);
    if (!span.isChild) parents.set(span.rank, span_id);
    const attributes = JSON.stringify({ 'service.name': 'pretrain', 'host.name': `node-${span.rank >> 3}` });
    builder.table('span').push({
      ...{ trace_hi: 1n, trace_lo: BigInt(span.rank), span_id, parent_id: span.isChild ? parents.get(span.rank)! : 0n },
      ...{ start_ns: atSecond(span.from_s), end_ns: atSecond(span.to_s), name: builder.name(span.name), service },
      ...{ resource: builder.resource({ entity: service, attributes, schema_url: '' }), scope: -1, kind: 1 },
      ...{ status: 0, flags: 0, dropped: 0, trace_state: '', status_message: '', attributes: statedBy(span) },
    });
  });
  return builder;
}

const statedBy = ({ rank, step }: JobSpan): string =>
  JSON.stringify(step === null ? { rank } : { rank, global_step: step });
