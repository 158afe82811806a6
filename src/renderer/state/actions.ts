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
import { showRepair } from './show-repair.ts';
import { spanOf } from './time-window.ts';
import { copyText, notify, showError } from './toasts.ts';
import { suppose } from './what-if.ts';

const isEvent = (ref: string): boolean => ref.startsWith('event:');

/** Reads the record, then does something with it; a failure is told. */
async function withRecord(ref: string, use: (record: EvidenceRecord) => unknown): Promise<void> {
  try {
    await use(await client().call('evidence.get', { ref }));
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Shows a record's details beside whatever is on screen. */
export function openDetails(ref: string): void {
  select(ref);
  showDetails();
}

/** A quarter of what is on screen, about the record. */
function zoomToRecord({ ref, time_ns }: EvidenceRecord): void {
  if (time_ns === null) return notify('this record has no time of its own');
  select(ref);
  zoomTo(nanos(time_ns), spanOf(useFocus.getState().window) / 4);
}

function focusEntity({ entity }: EvidenceRecord): void {
  if (entity === null) return notify('this record does not say which device or service it is about');
  focus(entity);
}

const kindOf = (entityKey: string): EntityKind | undefined =>
  entityKinds.find((kind) => entityKey.startsWith(`${kind}:`));

function supposeWithoutLayer(thing: string | null): void {
  const kind = thing === null ? undefined : kindOf(thing);
  if (kind === undefined) return notify('this record does not say to which layer it belongs');
  suppose({ kind: 'layer', layer: layerOf(kind) });
}

const shortTitle = (record: EvidenceRecord): string =>
  record.kind === 'event' ? `${readableType(record.type)} on ${record.device}` : record.title;

const exclude = (ids: readonly string[], label: string): void => suppose({ kind: 'events', ids, label });

/** As they are told in a chip: one by what it is, several by their number. */
function excludeEvents(events: readonly string[]): void {
  const [first] = events;
  if (first === undefined) return;
  void withRecord(first, (record) => {
    const title = shortTitle(record);
    exclude(events, events.length === 1 ? title : `${title} and ${events.length - 1} more`);
  });
}

const focusAction = (run: () => void): Action => ({
  id: 'thing',
  title: 'Focus the thing: its rows, its record',
  keys: 'E',
  run,
});

const zoomAction = (ref: string): Action => ({
  id: 'zoom',
  title: 'Zoom to it',
  keys: 'Z',
  run: () => void withRecord(ref, zoomToRecord),
});

const layerAction = (run: () => void): Action => ({
  id: 'layer',
  title: 'What if its layer had not been recorded',
  keys: 'L',
  run,
});

const copyIdAction = (ref: string): Action => ({
  id: 'id',
  title: 'Copy evidence id',
  keys: 'Y',
  note: ref,
  run: () => void copyText(ref, 'Evidence id'),
});

/** A span knows its trace. */
function traceActions(ref: string): Action[] {
  const [, trace, span] = /^span:([0-9a-f]{32})\/([0-9a-f]{16})/.exec(ref) ?? [];
  if (trace === undefined || span === undefined) return [];
  return [
    { id: 'trace', title: 'Open its trace', keys: 'O', run: () => void showTrace(trace, span) },
    { id: 'logs', title: 'Logs of its trace', keys: 'V', run: () => showLogsOfTrace(trace) },
  ];
}

/** Repairs of nodes are made of events and spans. */
const repairActions = (ref: string): Action[] =>
  /^(event|span):/.test(ref)
    ? [{ id: 'repair', title: 'Its repair, stage by stage', keys: 'R', run: () => void showRepair(ref) }]
    : [];

const copyActions = (ref: string): Action[] => [
  {
    id: 'json',
    title: 'Copy as JSON',
    keys: 'J',
    run: () => void withRecord(ref, (record) => copyText(recordJson(record), 'JSON')),
  },
  {
    id: 'markdown',
    title: 'Copy as Markdown',
    keys: 'K',
    run: () => void withRecord(ref, (record) => copyText(recordMarkdown(record), 'Markdown')),
  },
  copyIdAction(ref),
];

/**
 * What can be done with a recorded thing: an event, a span, a log line, a measurement.
 * @param refs the first is the record itself; the others are excluded with it
 */
export function recordTarget(label: string, refs: readonly [string, ...string[]]): ActionTarget {
  const [ref] = refs;
  const events = refs.filter(isEvent);
  const several = events.length > 1 ? `these ${events.length} events` : 'this event';
  return {
    label,
    actions: [
      { id: 'details', title: 'Show details', keys: 'Enter', run: () => openDetails(ref) },
      focusAction(() => void withRecord(ref, focusEntity)),
      zoomAction(ref),
      ...traceActions(ref),
      ...repairActions(ref),
      ...copyActions(ref),
      {
        id: 'exclude',
        title: `What if ${several} had not been recorded`,
        keys: 'X',
        disabled: events.length === 0,
        run: () => excludeEvents(events),
      },
      layerAction(() => void withRecord(ref, (record) => supposeWithoutLayer(record.entity))),
    ],
  };
}

/** What can be done with a thing of its own, such as a lane's. `more` stands first. */
export function entityTarget(thing: string, more: readonly Action[] = []): ActionTarget {
  const ref = `entity:${thing}`;
  return {
    label: thing.replace(':', ' '),
    actions: [
      { id: 'details', title: 'Show details', keys: 'Enter', run: () => openDetails(ref) },
      focusAction(() => focus(thing)),
      ...more,
      ...copyActions(ref),
      layerAction(() => supposeWithoutLayer(thing)),
    ],
  };
}

function focus(thing: string): void {
  selectEntity(thing);
  showDetails();
}

/** What can be done with a hypothesis; `ref` is its event's evidence id where that is known. */
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
        : [{ id: 'details', title: 'Open its record', keys: 'O', run: () => openDetails(record) }]),
      ...(entityKey === null ? [] : [focusAction(() => focus(entityKey))]),
      ...(ref === null ? [] : [zoomAction(ref)]),
      { id: 'compare', title: 'Compare with another', keys: 'V', run: () => toggleCompared(incident, hypothesis.rank) },
      { id: 'json', title: 'Copy as JSON', keys: 'J', run: () => void copyText(hypothesisJson(hypothesis), 'JSON') },
      {
        id: 'markdown',
        title: 'Copy as Markdown',
        keys: 'K',
        run: () => void copyText(hypothesisMarkdown(hypothesis), 'Markdown'),
      },
      ...(record === null ? [] : [copyIdAction(record)]),
      {
        id: 'exclude',
        title: 'What if its event had not been recorded',
        keys: 'X',
        disabled: event_id === null,
        run: () => event_id !== null && exclude([ref ?? event_id], label),
      },
      ...(entityKey === null ? [] : [layerAction(() => supposeWithoutLayer(entityKey))]),
    ],
  };
}

/** Of whatever record is selected; null when none is. */
export function selectedTarget(): ActionTarget | null {
  const { selected } = useFocus.getState();
  if (selected === null) return null;
  return selected.startsWith('entity:')
    ? entityTarget(selected.slice('entity:'.length))
    : recordTarget(selected, [selected]);
}
