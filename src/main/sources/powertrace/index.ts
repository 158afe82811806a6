import { z } from 'zod';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { appendChainEvent, appendEvent, appendServiceMetric, appendSpan } from './append.ts';
import { type Mapping, reportSchema, type Section, sections } from './format.ts';
import { appendMappings } from './topology.ts';

/** PowerTrace documents are read whole; a larger one is a mistake, not a recording. */
const MAX_BYTES = 512 * 1024 * 1024;
const sectionNames = Object.keys(sections) as Section[];

export const powertrace: Source = {
  id: 'powertrace',
  title: 'PowerTrace JSON (events, service metrics and spans, topology, report)',
  looks_for: 'a JSON object with "events", "service_metrics", "spans" or "mappings"',
  detect: ({ object }) =>
    sectionNames.some((name) => name in object && looksLike(name, object[name])) || isReport(object.report),
  read,
};

/** A report of PowerTrace, or of Faultline itself: incidents with a causal chain. */
function isReport(report: unknown): boolean {
  if (typeof report !== 'object' || report === null || !('incidents' in report)) return false;
  return looksLikeFirst(report.incidents, 'causal_chain');
}

/** The events of a report's chains; services in a chain are its impact, not a recorded event. */
function chainEventsOf(report: unknown, file: string, builder: BatchBuilder): unknown[] {
  const parsed = reportSchema.safeParse(report);
  if (!parsed.success) {
    builder.reject(file, 0, 'the report has no list of incidents with a causal chain');
    return [];
  }
  builder.remark('a report: only the events of its chains are taken, without their severity; its verdict is not');
  const isService = (event: unknown) => (event as { readonly type?: unknown })?.type === 'trace_degradation';
  return parsed.data.incidents.flatMap(({ causal_chain }) => causal_chain.filter((event) => !isService(event)));
}

/** Members that other formats with a list of the same name do not have. */
const marks: Readonly<Record<Section, string>> = {
  chain_events: 'event_id',
  events: 'device_id',
  service_metrics: 'service_name',
  spans: 'service_name',
  mappings: 'physical_device_id',
};

/** An empty list is accepted; a first record must have the member that only PowerTrace has. */
function looksLike(section: Section, records: unknown): boolean {
  return looksLikeFirst(records, marks[section]);
}

function looksLikeFirst(records: unknown, mark: string): boolean {
  const first: unknown = Array.isArray(records) ? records[0] : undefined;
  return typeof first === 'object' && first !== null ? mark in first : true;
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const { document, bytes } = await parse(input);
  const builder = new BatchBuilder();
  if ('report' in document) document.chain_events = chainEventsOf(document.report, input.name, builder);
  if (!['report', ...sectionNames].some((name) => name in document))
    builder.reject(input.name, 0, `no ${sectionNames.join(', ')} and no report in this document`);
  for (const section of sectionNames) {
    const records = document[section];
    if (records === undefined || records === null) continue;
    if (!Array.isArray(records)) {
      fail('file.wrong_shape', `"${section}" in ${input.name} is not a list`, { place: input.name });
    }
    const mappings: Mapping[] = [];
    for (const [index, record] of records.entries()) {
      if (section === 'mappings') collectMapping(builder, input.name, mappings, record, index);
      else appendRecord(builder, input.name, section, record, index);
      if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
    }
    appendMappings(builder, mappings);
  }
  yield builder.finish(bytes);
}

async function parse(input: SourceInput): Promise<{ document: Record<string, unknown>; bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input.chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      fail('file.too_large', `${input.name} is larger than a PowerTrace document can be (512 MiB)`);
    chunks.push(chunk);
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    fail('file.malformed_json', `${input.name} is not valid JSON: ${error instanceof Error ? error.message : error}`, {
      place: input.name,
      hint: 'the file may be cut off; export it again',
    });
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    fail('file.wrong_shape', `${input.name} holds no JSON object`, { place: input.name });
  }
  return { document: document as Record<string, unknown>, bytes };
}

function appendRecord(
  builder: BatchBuilder,
  file: string,
  section: Exclude<Section, 'mappings'>,
  record: unknown,
  index: number,
): void {
  attempt(builder, file, section, record, index, () => {
    switch (section) {
      case 'events':
        return appendEvent(builder, sections.events.schema.parse(record), record);
      case 'chain_events':
        return appendChainEvent(builder, sections.chain_events.schema.parse(record), record);
      case 'service_metrics':
        return appendServiceMetric(builder, sections.service_metrics.schema.parse(record));
      case 'spans':
        return appendSpan(builder, sections.spans.schema.parse(record));
    }
  });
}

function collectMapping(
  builder: BatchBuilder,
  file: string,
  mappings: Mapping[],
  record: unknown,
  index: number,
): void {
  attempt(builder, file, 'mappings', record, index, () => {
    mappings.push(sections.mappings.schema.parse(record));
  });
}

/** A record that cannot be read becomes one reject; the rest of the file goes on. */
function attempt(
  builder: BatchBuilder,
  file: string,
  section: Section,
  record: unknown,
  index: number,
  work: () => void,
): void {
  try {
    work();
  } catch (error) {
    builder.reject(file, index, `${sections[section].record} ${index + 1}: ${explain(error)}`, excerpt(record));
  }
}

/** Why a record cannot be read; anything that is not the record's fault is a bug and goes on up. */
function explain(error: unknown): string {
  if (error instanceof ProblemError) return `${error.problem.message} [${error.problem.code}]`;
  if (error instanceof z.ZodError) {
    return error.issues.map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`).join('; ');
  }
  // JSON may nest deeper than writing it again can follow.
  if (error instanceof RangeError) return 'nested too deeply';
  throw error;
}

function excerpt(record: unknown): string {
  try {
    return JSON.stringify(record) ?? String(record);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
