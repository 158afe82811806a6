import type { EvidenceRecord } from '../../../model/contract/index.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { aboutEntity, attributeEntries, fields, pretty, text, unknown } from './evidence-fields.ts';
import { eventNumber, type SharedFacts } from './shared-facts.ts';

/** The last of several occurrences, as the source states it, on the clock of the case. */
const correctedTime =
  (clock_offset_ns: bigint) =>
  ([name, value]: [string, unknown]): [string, unknown] =>
    name === 'last_time_ns' && /^\d{1,19}$/.test(String(value))
      ? ['last time', formatUtc(nanos(BigInt(String(value)) + clock_offset_ns))]
      : [name, value];

/** An event as its source recorded it, with the samples that contradict what it states. */
export async function eventRecord(
  session: Session,
  ref: string,
  id: string,
  shared: SharedFacts,
): Promise<EvidenceRecord> {
  const row = eventNumber(ref) === null ? undefined : await shared.event(session, Number(id));
  if (!row) return unknown(ref);
  const time_ns = row.time_ns as bigint;
  return {
    ref,
    kind: 'event',
    type: text(row.type),
    device: text(row.device_id),
    contradiction: row.states_reading ? await shared.contradiction(session, Number(id)) : null,
    ...aboutEntity(row.entity_kind, row.device_id),
    title: `${row.type} on ${row.device_id}${row.message ? `: ${row.message}` : ''}`,
    time_ns,
    source: text(row.source_name),
    fields: fields([
      ['time', formatUtc(nanos(time_ns))],
      ['type', row.type],
      ['severity', row.severity],
      ['device', row.device_id],
      ['kind', row.entity_kind],
      ['reported by', row.origin],
      ['id', row.id],
      ['message', row.message],
      ...attributeEntries(row.attributes).map(correctedTime(row.clock_offset_ns as bigint)),
    ]),
    raw: pretty(row.raw),
  };
}
