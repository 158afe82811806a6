import type { EvidenceRecord } from '../../model/contract/index.ts';
import { type EntityKind, entityKinds, layerOf } from '../../model/entity.ts';
import type { Hypothesis } from '../../model/incident/incident.ts';
import { nanos } from '../../model/time.ts';
import { problemOf } from '../client/problem-of.ts';
import {
  hypothesisJson,
  hypothesisMarkdown,
  hypothesisText,
  recordJson,
  recordMarkdown,
} from '../draw/text/format-record.ts';
import { readableType } from '../draw/text/format-value.ts';
import type { Action, ActionTarget } from './action-menu.ts';
import { showDetails } from './case-state.ts';
import { client } from './client.ts';
import { toggleCompared } from './comparison.ts';
import { select, selectEntity, useFocus, zoomTo } from './focus.ts';
import { showLogsOfTrace, showTrace } from './log-filter.ts';
import { messages } from './messages.ts';
import { showRepair } from './show-repair.ts';
import { spanOf } from './time-window.ts';
import { copyText, notify, showError } from './toasts.ts';
import { suppose } from './what-if.ts';

const isEvent = (ref: string): boolean => ref.startsWith('event:');

/** Reads a record and passes it on; shows an error if that fails. */
async function withRecord(ref: string, use: (record: EvidenceRecord) => unknown): Promise<void> {
  try {
    await use(await client().call('evidence.get', { ref }));
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Opens the details of a record next to the current view. */
export function openDetails(ref: string): void {
  select(ref);
  showDetails();
}

/** Zooms around the record to a quarter of the current window. */
function zoomToRecord({ ref, time_ns }: EvidenceRecord): void {
  if (time_ns === null) return notify(messages.noTime);
  select(ref);
  zoomTo(nanos(time_ns), spanOf(useFocus.getState().window) / 4);
}

function focusEntity({ entity }: EvidenceRecord): void {
  if (entity === null) return notify(messages.noEntity);
  focus(entity);
}

const kindOf = (entityKey: string): EntityKind | undefined =>
  entityKinds.find((kind) => entityKey.startsWith(`${kind}:`));

function supposeWithoutLayer(entity: string | null): void {
  const kind = entity === null ? undefined : kindOf(entity);
  if (kind === undefined) return notify(messages.noLayer);
  suppose({ kind: 'layer', layer: layerOf(kind) });
}

const shortTitle = (record: EvidenceRecord): string =>
  record.kind === 'event' ? messages.on(readableType(record.type), record.device) : record.title;

const exclude = (ids: readonly string[], label: string): void => suppose({ kind: 'events', ids, label });

/** Names the events in a chip: one by its title, several by their number. */
function excludeEvents(events: readonly string[]): void {
  const [first] = events;
  if (first === undefined) return;
  void withRecord(first, (record) => {
    const title = shortTitle(record);
    exclude(events, events.length === 1 ? title : messages.andMore(title, events.length - 1));
  });
}

const focusAction = (run: () => void): Action => ({
  id: 'entity',
  title: messages.actions.focus,
  keys: 'E',
  run,
});

const zoomAction = (ref: string): Action => ({
  id: 'zoom',
  title: messages.actions.zoom,
  keys: 'Z',
  run: () => void withRecord(ref, zoomToRecord),
});

const layerAction = (run: () => void): Action => ({
  id: 'layer',
  title: messages.actions.ignoreLayer,
  keys: 'L',
  run,
});

const copyIdAction = (ref: string): Action => ({
  id: 'id',
  title: messages.actions.copyId,
  keys: 'Y',
  note: ref,
  run: () => void copyText(ref, messages.evidenceId),
});

function traceActions(ref: string): Action[] {
  const [, trace, span] = /^span:([0-9a-f]{32})\/([0-9a-f]{16})/.exec(ref) ?? [];
  if (trace === undefined || span === undefined) return [];
  return [
    { id: 'trace', title: messages.actions.trace, keys: 'O', run: () => void showTrace(trace, span) },
    { id: 'logs', title: messages.actions.logs, keys: 'V', run: () => showLogsOfTrace(trace) },
  ];
}

/** Only events and spans are part of node repairs. */
const repairActions = (ref: string): Action[] =>
  /^(event|span):/.test(ref)
    ? [{ id: 'repair', title: messages.actions.repair, keys: 'R', run: () => void showRepair(ref) }]
    : [];

const copyActions = (ref: string): Action[] => [
  {
    id: 'json',
    title: messages.actions.copyJson,
    keys: 'J',
    run: () => void withRecord(ref, (record) => copyText(recordJson(record), messages.json)),
  },
  {
    id: 'markdown',
    title: messages.actions.copyMarkdown,
    keys: 'K',
    run: () => void withRecord(ref, (record) => copyText(recordMarkdown(record), messages.markdown)),
  },
  copyIdAction(ref),
];

/**
 * Actions of a record: an event, a span, a log line, a sample.
 * @param refs the first is the record itself; the others are excluded with it
 */
export function recordTarget(label: string, refs: readonly [string, ...string[]]): ActionTarget {
  const [ref] = refs;
  const events = refs.filter(isEvent);
  const several = events.length > 1 ? messages.actions.theseEvents(events.length) : messages.actions.thisEvent;
  return {
    label,
    actions: [
      { id: 'details', title: messages.actions.details, keys: 'Enter', run: () => openDetails(ref) },
      focusAction(() => void withRecord(ref, focusEntity)),
      zoomAction(ref),
      ...traceActions(ref),
      ...repairActions(ref),
      ...copyActions(ref),
      {
        id: 'exclude',
        title: messages.actions.ignoreEvents(several),
        keys: 'X',
        disabled: events.length === 0,
        run: () => excludeEvents(events),
      },
      layerAction(() => void withRecord(ref, (record) => supposeWithoutLayer(record.entity))),
    ],
  };
}

/** Actions of an entity, for example of a lane. `more` comes first. */
export function entityTarget(entity: string, more: readonly Action[] = []): ActionTarget {
  const ref = `entity:${entity}`;
  return {
    label: entity.replace(':', ' '),
    actions: [
      { id: 'details', title: messages.actions.details, keys: 'Enter', run: () => openDetails(ref) },
      focusAction(() => focus(entity)),
      ...more,
      ...copyActions(ref),
      layerAction(() => supposeWithoutLayer(entity)),
    ],
  };
}

function focus(entity: string): void {
  selectEntity(entity);
  showDetails();
}

/** Actions of a hypothesis; `ref` is the evidence id of its event, if known. */
export function hypothesisTarget(hypothesis: Hypothesis, incident: string, ref: string | null): ActionTarget {
  const { subject, event_id } = hypothesis;
  const entityKey = subject === null ? null : `${subject.kind}:${subject.id}`;
  const record = ref ?? (entityKey === null ? null : `entity:${entityKey}`);
  const label = hypothesisText(hypothesis);
  return {
    label,
    actions: [
      ...(record === null
        ? []
        : [{ id: 'details', title: messages.actions.openRecord, keys: 'O', run: () => openDetails(record) }]),
      ...(entityKey === null ? [] : [focusAction(() => focus(entityKey))]),
      ...(ref === null ? [] : [zoomAction(ref)]),
      {
        id: 'compare',
        title: messages.actions.compare,
        keys: 'V',
        run: () => toggleCompared(incident, hypothesis.rank),
      },
      {
        id: 'json',
        title: messages.actions.copyJson,
        keys: 'J',
        run: () => void copyText(hypothesisJson(hypothesis), messages.json),
      },
      {
        id: 'markdown',
        title: messages.actions.copyMarkdown,
        keys: 'K',
        run: () => void copyText(hypothesisMarkdown(hypothesis), messages.markdown),
      },
      ...(record === null ? [] : [copyIdAction(record)]),
      {
        id: 'exclude',
        title: messages.actions.ignoreItsEvent,
        keys: 'X',
        disabled: event_id === null,
        run: () => event_id !== null && exclude([ref ?? event_id], label),
      },
      ...(entityKey === null ? [] : [layerAction(() => supposeWithoutLayer(entityKey))]),
    ],
  };
}

/** Actions of the selected record; null if none is selected. */
export function selectedTarget(): ActionTarget | null {
  const { selected } = useFocus.getState();
  if (selected === null) return null;
  return selected.startsWith('entity:')
    ? entityTarget(selected.slice('entity:'.length))
    : recordTarget(selected, [selected]);
}
