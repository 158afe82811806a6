import { type Nanos, nanos, parseTime } from '../../model/time.ts';
import { showDetails, useCase } from './case-state.ts';
import { selectEntity, selectIncident, setPlayhead, useFocus, zoomTo } from './focus.ts';
import { incidentOf } from './known.ts';
import { messages } from './messages.ts';
import { notify } from './toasts.ts';

/** A place in a case that a dashboard names in an address (the window writes links of its own, `place-link.ts`): `?case=demo&incident=…&entity=pdu:PDU-B&time=2026-05-01T14:25:00Z&view=causes`. */
export interface Link {
  /** Name of the case; null: whichever is open. */
  readonly case: string | null;
  readonly view: string | null;
  readonly incident: string | null;
  /** `kind:id`. */
  readonly entity: string | null;
  readonly time: Nanos | null;
}

/** null: the address names no place. What cannot be read of it is left out. */
export function readLink(search: string): Link | null {
  const query = new URLSearchParams(search);
  const get = (name: string, form: RegExp): string | null => {
    const value = query.get(name);
    return value !== null && form.test(value) ? value : null;
  };
  const link: Link = {
    case: get('case', /^.{1,200}$/),
    view: get('view', /^[a-z]{1,40}$/),
    incident: get('incident', /^\S{1,200}$/),
    entity: get('entity', /^[a-z_]{1,40}:.{1,500}$/),
    time: timeOf(query.get('time')),
  };
  return Object.values(link).every((part) => part === null) ? null : link;
}

function timeOf(text: string | null): Nanos | null {
  try {
    return text === null ? null : nanos(parseTime(text, 'time'));
  } catch {
    return null;
  }
}

let pending: Link | null = null;
let isNoted = false;

/** Keeps the link that the page was opened with until its case is open: a link opens no case, and closes none. */
export function takeLink(search: string): void {
  pending = readLink(search);
  isNoted = false;
  // A reload returns to the place that was left, not to that of the link.
  if (pending !== null) history.replaceState(history.state, '', `${location.pathname}${location.hash}`);
}

/** Goes to the place of the link, if it is in this case; `name` null: no case is open. */
export function followLink(name: string | null): void {
  if (pending === null) return;
  const { case: wanted, view, incident, entity, time } = pending;
  if (wanted !== null && wanted !== name) {
    if (!isNoted) notify(name === null ? messages.link.noCase(wanted) : messages.link.otherCase(wanted, name));
    isNoted = true;
    return;
  }
  if (name === null) return;
  pending = null;
  if (incident !== null) showIncident(incident);
  if (time !== null) showTime(time);
  if (entity !== null) {
    selectEntity(entity);
    // Of an incident, its causes are what the link is about.
    if (incident === null) showDetails();
  }
  if (view !== null) useCase.setState({ view });
}

function showIncident(id: string): void {
  const found = incidentOf(id);
  if (found) selectIncident(found);
  else notify(messages.link.noIncident(id));
}

/** Time around a linked one. */
const AROUND_NS = 600e9;

function showTime(time: Nanos): void {
  const { startNs, endNs } = useFocus.getState().bounds;
  if (time < startNs || time > endNs) return notify(messages.link.noTime);
  zoomTo(time, AROUND_NS);
  setPlayhead(time);
}
