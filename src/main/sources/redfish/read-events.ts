import type { Severity } from '../../../model/entity.ts';
import { rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { eventMeaning } from './event-meaning.ts';
import { isObject, type Json, normalizeId, objectOf, objectsOf, textOf } from './format.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import type { Resource } from './resource-tree.ts';
import { sensibleTime } from './times.ts';
import type { Walk } from './walk.ts';

const severities: Readonly<Record<string, Severity>> = {
  ok: 'low',
  informational: 'low',
  warning: 'medium',
  critical: 'critical',
};
/** Members that have columns of their own. */
const MAPPED_MEMBERS =
  /^(@.*|Message|Severity|MessageSeverity|Id|Name|Created|EventTimestamp|EventId|MemberId|Links|OriginOfCondition|Description)$/;

/** Entries of all logs, each once although collections repeat them, and events that EventServices sent. */
export function* readEvents(
  walk: Walk,
  reject: (resource: Resource, reason: string, entry: Json) => void,
): Generator<void> {
  for (const resource of walk.tree.ofType('LogEntry')) {
    const { doc, id } = resource;
    const origin = originOf(objectOf(doc['Links'])['OriginOfCondition'], walk.service);
    // Entry numbers restart when a log is cleared.
    if (!walk.memory.isNew(`entry ${id} ${doc['Created'] ?? doc['EventTimestamp']}`)) continue;
    // Some entries name their entity only in a vendor's list.
    if (!writeEvent(walk, doc, origin, id)) reject(resource, 'a log entry without a usable time', doc);
    yield;
  }
  for (const payload of walk.tree.payloads) {
    for (const event of objectsOf(payload.doc['Events'])) {
      const origin = originOf(event['OriginOfCondition'], walk.service);
      if (!writeEvent(walk, event, origin, payload.id, payload.time_ns))
        reject(payload, 'an event without a usable time', event);
      yield;
    }
  }
}

/**
 * Entity of an event: a path of the reporting service, or the address of another service with its own paths.
 * @param service address of the reporting service, if known; for a file, all paths are its own
 */
function originOf(originValue: unknown, service: string | undefined): string {
  const link = isObject(originValue) ? textOf(originValue['@odata.id']) : textOf(originValue);
  if (service === undefined || !URL.canParse(link)) return normalizeId(link);
  return new URL(link).host === new URL(service).host ? normalizeId(link) : link;
}

/** Another service is a separate device, named by its host. */
const entityOf = ({ machine }: Walk, origin: string, place: string): RedfishEntity =>
  URL.canParse(origin)
    ? { kind: 'device', id: new URL(origin).hostname }
    : machine.of(origin !== '' || place.startsWith('/redfish') ? origin || place : '');

/** @param came_ns when it was received, if known: test events of a subscription state no time */
function writeEvent(walk: Walk, doc: Json, origin: string, place: string, came_ns?: bigint): boolean {
  const time_ns =
    sensibleTime(doc['EventTimestamp'], walk) ??
    sensibleTime(doc['Created'], walk) ??
    sensibleTime(doc['Modified'], walk) ??
    came_ns;
  if (time_ns === undefined) return false;
  const entity = entityOf(walk, origin, place);
  const word = textOf(doc['MessageSeverity']) || textOf(doc['Severity']);
  const meaning = eventMeaning({
    messageId: textOf(doc['MessageId']),
    message: textOf(doc['Message']),
    sensorType: textOf(doc['SensorType']),
    entryCode: textOf(doc['EntryCode']),
    severity: word,
    place,
    aboutGpu: entity.kind === 'gpu',
  });
  const known = severities[word.toLowerCase()];
  const rest = Object.fromEntries(Object.entries(doc).filter(([member]) => !MAPPED_MEMBERS.test(member)));
  appendEvent(walk.builder, {
    entity: walk.sampler.entity(entity),
    time_ns,
    type: meaning.type,
    // Old logs have no severity: an event of a known type gets one, others do not.
    severity: known ?? (meaning.type === 'bmc_event' ? 'low' : 'medium'),
    message: textOf(doc['Message']) || textOf(doc['MessageId']) || textOf(doc['Name']),
    origin: 'redfish',
    original_id: place.startsWith('/redfish') ? place : textOf(doc['EventId']) || textOf(doc['MemberId']),
    attributes: {
      ...rest,
      ...meaning.attributes,
      ...(origin ? { origin_of_condition: origin } : {}),
      ...(word ? { severity: word } : {}),
    },
    raw: rawText(doc),
  });
  return true;
}
