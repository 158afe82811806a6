import type { EvidenceRecord } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { annotationText } from '../../../model/incident/annotation.ts';
import { impactedText, throughputUnit } from '../../../model/incident/incident.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Measurements, workOf } from '../../analysis/impact/measurement-table.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { judgeProposals } from '../../store/facts/edited-edges.ts';
import { createReader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { eventRecord } from './event-record.ts';
import {
  edgeRecord,
  incidentRecord,
  layersRecord,
  mechanismRecord,
  methodRecord,
  sourceRecord,
} from './evidence-concluded.ts';
import { aboutEntity, aboutNothing, attributeEntries, fields, pretty, text, unknown } from './evidence-fields.ts';
import { type Entities, SharedFacts } from './shared-facts.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * The whole record behind an evidence id.
 * @param shared of the records of one report
 * @throws ProblemError evidence.unknown
 */
export async function readEvidence(
  opened: OpenCase,
  ref: string,
  shared = new SharedFacts(opened, [ref]),
): Promise<EvidenceRecord> {
  const colon = ref.indexOf(':');
  const rest = ref.slice(colon + 1);
  return opened.withSession(async (session) => {
    switch (ref.slice(0, colon)) {
      case 'event':
        return eventRecord(session, ref, rest, shared);
      case 'span':
        return spanRecord(session, ref, rest);
      case 'log':
        return logRecord(session, ref, rest);
      case 'collective':
        return collectiveRecord(session, ref, rest);
      case 'metric':
        return sampleRecord(session, ref, rest);
      case 'measurement':
        return measurementRecord(opened, session, ref, rest);
      case 'entity':
        return entityRecord(session, ref, rest, shared);
      case 'annotation':
        return annotationRecord(session, ref, rest);
      case 'mechanism':
        return mechanismRecord(opened, ref, rest);
      case 'case':
        return rest === 'layers'
          ? layersRecord(ref, shared)
          : rest === 'method'
            ? methodRecord(opened, ref, shared)
            : unknown(ref);
      case 'source':
        return sourceRecord(ref, rest, shared);
      case 'incident':
        return incidentRecord(opened, ref, rest);
      case 'edge':
        return edgeRecord(session, ref, rest, shared);
      default:
        return unknown(ref);
    }
  });
}

const first = async (
  session: Session,
  sql: string,
  values: Parameters<Session['query']>[1],
): Promise<Row | undefined> => rowsOf<Row>(await session.query(sql, values))[0];

async function spanRecord(session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const [trace = '', span = ''] = id.split('/');
  const row = await first(session, queries.spanRecord, [trace, span]);
  if (!row) return unknown(ref);
  const time_ns = row.start_ns as bigint;
  const { attributes, resource_attributes, start_ns: _, start_utc: __, source, ...rest } = row;
  return {
    ref,
    kind: 'span',
    trace_id: trace,
    span_id: span.split('@')[0] ?? '',
    ...aboutEntity('service', row.service),
    title: `${row.service ?? 'unknown service'} ${row.name ?? ''}`,
    time_ns,
    source: text(source),
    fields: fields([['start', formatUtc(nanos(time_ns))], ...Object.entries(rest), ...attributeEntries(attributes)]),
    raw: pretty(
      JSON.stringify({
        ...rest,
        attributes: JSON.parse(text(attributes) || '{}'),
        resource: JSON.parse(text(resource_attributes) || '{}'),
      }),
    ),
  };
}

/** Source and row. */
const ROW_ID = /^(\d{1,9})\/(\d{1,15})$/;

/** Zeros stand for no trace (W3C Trace Context). */
const isInTrace = (trace: string): boolean => /[1-9a-f]/.test(trace);

async function logRecord(session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const match = ROW_ID.exec(id);
  const row = match && (await first(session, queries.logRecord, [Number(match[1]), BigInt(match[2]!)]));
  if (!row) return unknown(ref);
  const time_ns = row.case_time_ns as bigint;
  const trace_id = text(row.trace_hex);
  return {
    ref,
    kind: 'log',
    trace: isInTrace(trace_id) ? { trace_id, span_id: text(row.span_hex) } : null,
    ...aboutEntity(row.entity_kind, row.entity_id),
    title: text(row.body).slice(0, 200),
    time_ns,
    source: text(row.source_name),
    fields: fields([
      ['time', formatUtc(nanos(time_ns))],
      ['severity', row.severity_name ?? row.severity],
      ['body', row.body],
      ...attributeEntries(row.attributes),
    ]),
    raw: pretty(
      JSON.stringify({
        body: row.body,
        attributes: JSON.parse(text(row.attributes) || '{}'),
        resource: JSON.parse(text(row.resource_attributes) || '{}'),
      }),
    ),
  };
}

async function collectiveRecord(session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const match = ROW_ID.exec(id);
  const values = match && [Number(match[1]), BigInt(match[2]!)];
  const row = values && (await first(session, queries.collectiveRecord, values));
  if (!row) return unknown(ref);
  const at = (name: string): bigint | null => {
    const time = row[name] as bigint;
    return time === 0n ? null : time + (row.clock_offset_ns as bigint);
  };
  const time_ns = at('started_ns') ?? at('created_ns');
  const time = (name: string): string => {
    const ns = at(name);
    return ns === null ? '' : formatUtc(nanos(ns));
  };
  return {
    ref,
    kind: 'collective',
    ...aboutEntity(row.rank_kind, row.rank_name),
    title: `${row.operation_name ?? 'operation'} #${row.sequence} of rank ${row.rank_name}`,
    time_ns,
    source: text(row.source_name),
    fields: fields([
      ['rank', row.rank_name],
      ['group', row.group_label ?? row.group_name_id],
      ['sequence', row.sequence],
      ['state', row.state_name],
      ['created', time('created_ns')],
      ['started', time('started_ns')],
      ['completed', time('completed_ns')],
      ['data type', row.dtype_name],
      ['input sizes', row.input_sizes],
      ['output sizes', row.output_sizes],
      ...attributeEntries(row.attributes),
    ]),
    raw: pretty(row.attributes),
  };
}

async function sampleRecord(session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const match = /^(\d{1,9})@(-?\d{1,19})$/.exec(id);
  const row = match && (await first(session, queries.sampleRecord, [Number(match[1]), BigInt(match[2]!)]));
  if (!row) return unknown(ref);
  const time_ns = row.time_ns as bigint;
  const value = `${row.value ?? 'no value'} ${text(row.unit)}${row.is_mean ? ' on average' : ''}`.trim();
  return {
    ref,
    kind: 'metric',
    ...aboutEntity(row.entity_kind, row.entity_id),
    title: `${row.metric} of ${row.entity_id ?? 'an unnamed entity'}: ${value}`,
    time_ns,
    source: text(row.source_name),
    fields: fields([
      ['time', formatUtc(nanos(time_ns))],
      ['kind', row.entity_kind],
      ['device', row.entity_id],
      ['metric', row.metric],
      ['value', value],
      ['description', row.description],
      ...attributeEntries(row.attributes),
    ]),
    raw: '',
  };
}

async function measurementRecord(opened: OpenCase, session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const at = id.lastIndexOf('@');
  const name = id.slice(0, at);
  // Not only services have span measurements, also ranks of a job and processes of a trace.
  const measured = await opened.measurements();
  const own = (await createReader(session).entities()).find((one) => one.id === name && measured.has(one.canonical_id));
  const found = own ? measured.get(own.canonical_id) : await partNamed(opened, name);
  const index = found?.time_ns.findIndex((time) => formatUtc(nanos(time)) === id.slice(at + 1)) ?? -1;
  if (!found || index < 0) return unknown(ref);
  const figure = (column: Float64Array, unit: string | ((value: number) => string)): string => {
    const value = Number(column[index]!.toFixed(2));
    return Number.isNaN(value) ? 'unknown' : `${value} ${typeof unit === 'string' ? unit : unit(value)}`;
  };
  const time_ns = found.time_ns[index]!;
  return {
    ref,
    kind: 'metric',
    ...aboutEntity(own?.kind, name),
    title: `${name}: P99 ${figure(found.p99, 'ms')}, errors ${figure(found.error_rate, '%')}, ${figure(found.throughput, throughputUnit(workOf(found)))}`,
    time_ns,
    source: `worked out from the service's ${found.from}`,
    fields: fields([
      ['time', formatUtc(nanos(time_ns))],
      ['service', name],
      ['measured from', found.from],
      ['P50', figure(found.p50, 'ms')],
      ['P95', figure(found.p95, 'ms')],
      ['P99', figure(found.p99, 'ms')],
      ['error rate', figure(found.error_rate, '%')],
      ['throughput', figure(found.throughput, throughputUnit(workOf(found)))],
    ]),
    raw: '',
  };
}

/** Of parts of services, those with an incident have evidence. */
async function partNamed(opened: OpenCase, name: string): Promise<Measurements | undefined> {
  const { conclusions } = await opened.conclusions();
  const found = conclusions.find(
    ({ incident }) => incident.affected_parts.length > 0 && impactedText(incident) === name,
  );
  return found?.window.measurements;
}

async function entityRecord(session: Session, ref: string, key: string, shared: SharedFacts): Promise<EvidenceRecord> {
  const known = await shared.entities(session);
  const entity = known.find((candidate) => entityKey(candidate.kind, candidate.id) === key);
  if (!entity) return unknown(ref);
  const names = known.filter(({ canonical_id }) => canonical_id === entity.canonical_id);
  const aliases = await shared.aliases(session, entity.canonical_id);
  const links = await linksOf(session, known, entity.canonical_id, shared);
  return {
    ref,
    kind: 'entity',
    ...aboutEntity(entity.kind, entity.id),
    title: `${entity.kind} ${entity.id}`,
    time_ns: null,
    source: [...new Set(links.map(({ provenance }) => provenance))].join(', ') || null,
    fields: fields([
      [
        'aliases',
        names
          .map(({ kind, id }) => entityKey(kind, id))
          .filter((name) => name !== key)
          .join(', '),
      ],
      ...aliases.map(({ kind, name }) => [kind, name] as const),
      ...links.map(({ link, words }) => [link, words] as const),
    ]),
    raw: '',
  };
}

/** Every link of an entity, from its side, with provenance. */
async function linksOf(session: Session, known: Entities, entity: number, shared: SharedFacts) {
  const names = new Map(known.map(({ entity_id, kind, id }) => [entity_id, `${kind} ${id}`]));
  const byKey = new Map(known.map(({ kind, id, canonical_id }) => [entityKey(kind, id), canonical_id]));
  const edges = await shared.edges(session);
  const own = edges.filter(({ from_id, to_id }) => from_id === entity || to_id === entity);
  const proposed = own.filter(({ is_proposed }) => is_proposed);
  const open = new Set(judgeProposals(proposed, await shared.edits(session), (key) => byKey.get(key)).open);
  const links = own.flatMap((edge) =>
    edge.provenance.map((provenance) => ({
      link: `${names.get(edge.from_id)} ${edge.kind} ${names.get(edge.to_id)}`,
      provenance,
      words: open.has(edge) ? `from ${provenance}, proposed` : `from ${provenance}`,
    })),
  );
  return links.sort((a, b) => (a.link < b.link ? -1 : a.link > b.link ? 1 : 0));
}

async function annotationRecord(session: Session, ref: string, id: string): Promise<EvidenceRecord> {
  const annotation = (await readAnnotations(session)).find((one) => one.id === id);
  if (!annotation) return unknown(ref);
  const { kind, text: words, at_ns, until_ns, made_at_ns, id: _, ...body } = annotation;
  const time = (ns: bigint | null): string => (ns === null ? '' : formatUtc(nanos(ns)));
  return {
    ref,
    kind: 'annotation',
    ...aboutNothing,
    title: words === '' ? annotationText(annotation) : words,
    time_ns: at_ns,
    source: 'investigator',
    fields: fields([
      ['kind', kind],
      ['about', annotationText(annotation)],
      ['from', time(at_ns)],
      ['until', time(until_ns)],
      ['made', time(made_at_ns)],
      ...Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const),
    ]),
    raw: '',
  };
}
