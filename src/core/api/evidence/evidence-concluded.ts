import type { EvidenceRecord } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { latencyOf } from '../../../model/incident/impact-latency.ts';
import { impactedText, throughputUnit, type Work } from '../../../model/incident/incident.ts';
import { correlateOptionsSchema } from '../../../model/incident/incident-schema.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { edgeKinds } from '../../../model/topology.ts';
import { measurementRef } from '../../analysis/impact/measurement-ref.ts';
import { warningText } from '../../analysis/warnings/warning-text.ts';
import { applyEdgeEdits } from '../../store/facts/edited-edges.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { aboutEntity, aboutNothing, fields, unknown } from './evidence-fields.ts';
import type { SharedFacts } from './shared-facts.ts';

export async function mechanismRecord(opened: OpenCase, ref: string, type: string): Promise<EvidenceRecord> {
  const { value: mechanisms, origin } = await opened.mechanisms.current();
  const known = mechanisms.about(type);
  return {
    ref,
    kind: 'mechanism',
    ...aboutNothing,
    title: `mechanisms of ${type}`,
    time_ns: null,
    source: origin === 'own' ? 'your own mechanisms.yaml' : 'mechanisms.yaml',
    fields: fields([
      ['root weight', `${mechanisms.rootWeight(type)} log-odds`],
      ...known.map(
        ({ cause, effect, relation, delay_s, strength, source }) =>
          [
            `${cause} -> ${effect}`,
            `${relation}, ${delay_s[0]} to ${delay_s[1]} s, strength ${strength}: ${source}`,
          ] as const,
      ),
    ]),
    raw: '',
  };
}

export async function layersRecord(ref: string, shared: SharedFacts): Promise<EvidenceRecord> {
  const { layers_present, layers_missing, sources } = await shared.info();
  return {
    ref,
    kind: 'source',
    ...aboutNothing,
    title: `recorded: ${layers_present.join(', ') || 'nothing'}; not recorded: ${layers_missing.join(', ') || 'nothing'}`,
    time_ns: null,
    source: null,
    fields: fields([
      ['recorded', layers_present.join(', ')],
      ['not recorded', layers_missing.join(', ')],
      ...sources.map(({ name, rows }) => [name, countRows(rows)] as const),
    ]),
    raw: '',
  };
}

export async function sourceRecord(ref: string, id: string, shared: SharedFacts): Promise<EvidenceRecord> {
  const source = (await shared.info()).sources.find((candidate) => String(candidate.source_id) === id);
  if (!source) return unknown(ref);
  return {
    ref,
    kind: 'source',
    ...aboutNothing,
    title: source.name,
    time_ns: null,
    source: source.name,
    fields: fields([
      ['file', source.name],
      ['format', source.format],
      ['bytes', source.bytes],
      ['digest', source.digest],
      ['rejects', source.rejects],
      ['rows', countRows(source.rows)],
      ...source.remarks.map((remark) => ['remark', remark] as const),
    ]),
    raw: '',
  };
}

const rateText = (rate: number | null, work: Work): string | null =>
  rate === null ? null : withUnit(rate, throughputUnit(work)(rate));
const withUnit = (value: number | null, unit: string): string | null => (value === null ? null : `${value} ${unit}`);

/** An incident, with its measurements. */
export async function incidentRecord(opened: OpenCase, ref: string, id: string): Promise<EvidenceRecord> {
  const found = (await opened.conclusions()).conclusions.find(({ incident }) => incident.id === id);
  if (!found) return unknown(ref);
  const { incident, window, service } = found;
  const time = (ns: bigint): string => formatUtc(nanos(ns));
  const impacted = impactedText(incident);
  const unseen = unseenOnsetText(impacted, window);
  const latency = latencyOf(incident.impact);
  return {
    ref,
    kind: 'incident',
    ...aboutEntity('service', service),
    title: `incident of ${impacted}`,
    time_ns: window.onset_ns,
    source: `concluded from the service's ${window.measurements.from}`,
    fields: fields([
      ['service', service],
      ['onset', `${time(window.onset_ns)}, ${unseen ?? `at the earliest ${time(window.onset_earliest_ns)}`}`],
      ['end', time(window.end_ns)],
      ['measurements of the impact', window.last - window.first + 1],
      ['first of them', measurementRef(impacted, window.onset_ns)],
      ['worst of them', measurementRef(impacted, window.peak_ns)],
      ['measurements of the baseline', window.baseline.points],
      [`${latency.name} of the baseline`, withUnit(latency.baseline, 'ms')],
      ['error rate of the baseline', withUnit(incident.impact.error_rate_baseline_percent, '%')],
      ['throughput of the baseline', rateText(incident.impact.throughput_baseline_rps, incident.work)],
      ['hypotheses', incident.hypotheses.map(({ type, probability }) => `${type} ${probability}`).join(', ')],
      ...incident.warnings.map((warning) => ['warning', warningText(warning)] as const),
    ]),
    raw: '',
  };
}

const EDGE = new RegExp(`^(.+)/(${edgeKinds.join('|')})/(.+)$`);

/** `edge:pdu:PDU-B/feeds/server:node-7`: a link of the map, as often as it was recorded or edited. */
export async function edgeRecord(
  session: Session,
  ref: string,
  id: string,
  shared: SharedFacts,
): Promise<EvidenceRecord> {
  const [, from = '', kind = '', to = ''] = EDGE.exec(id) ?? [];
  const entities = await shared.entities(session);
  const names = new Map(entities.map((one) => [entityKey(one.kind, one.id), one.canonical_id]));
  const recorded = await shared.edges(session);
  const { edges } = applyEdgeEdits(recorded, await shared.edits(session), (name) => names.get(name));
  const own = edges.filter(
    (edge) => edge.from_id === names.get(from) && edge.kind === kind && edge.to_id === names.get(to),
  );
  if (own.length === 0) return unknown(ref);
  const time = (ns: bigint): string => (ns === ALWAYS_FROM || ns === ALWAYS_TO ? 'always' : formatUtc(nanos(ns)));
  const edgeText = (edge: (typeof own)[number]): string =>
    'provenance' in edge
      ? (edge as { readonly provenance: readonly string[] }).provenance.join(', ')
      : 'the investigator';
  return {
    ref,
    kind: 'edge',
    ...aboutNothing,
    title: `${from} ${kind.replace('_', ' ')} ${to}`,
    time_ns: null,
    source: [...new Set(own.map(edgeText))].join(', '),
    fields: fields(
      own.map(
        (edge) =>
          [
            `stated by ${edgeText(edge)}`,
            `valid from ${time(edge.valid_from_ns)} to ${time(edge.valid_to_ns)}`,
          ] as const,
      ),
    ),
    raw: '',
  };
}

/** Basis of the results other than rows. */
export async function methodRecord(opened: OpenCase, ref: string, shared: SharedFacts): Promise<EvidenceRecord> {
  const { origin } = await opened.mechanisms.current();
  const { schema_version, rows } = await shared.info();
  return {
    ref,
    kind: 'method',
    ...aboutNothing,
    title: 'how this case was analysed',
    time_ns: null,
    source: null,
    fields: fields([
      ['mechanisms', origin === 'own' ? "the user's own mechanisms.yaml" : 'bundled'],
      ['schema of the case', schema_version],
      ['rows', countRows(rows)],
      ...Object.entries(correlateOptionsSchema.parse({})).flatMap(([name, value]) =>
        Array.isArray(value) ? [] : [[`option ${name}`, value] as const],
      ),
    ]),
    raw: '',
  };
}
