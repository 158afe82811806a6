import { useState } from 'react';
import { MOST_ENTITIES, type Topology } from '../../../model/contract/index.ts';
import type { Stamp } from '../../../model/incident/annotation.ts';
import { nanos } from '../../../model/time.ts';
import { type EdgeKind, edgeKinds } from '../../../model/topology.ts';
import { annotate, freshAnnotation, useAnnotations } from '../../state/annotations.ts';
import { showDifferencesOf } from '../../state/difference-request.ts';
import { selectEntity } from '../../state/focus.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import { type EditContext, type EditTime, edgeEdit, linksOf, type OwnLink, refeed, suppliesIn } from './edit-links.ts';
import { ProposedOf } from './proposals.tsx';
import { useInstant } from './use-map.ts';

const idOf = (entityKey: string): string => entityKey.slice(entityKey.indexOf(':') + 1);

export interface EntityPanelProps {
  readonly topology: Topology;
  readonly selected: readonly string[];
}

/** What the investigator can say about the selected things, and their links. */
export function EntityPanel({ topology, selected }: EntityPanelProps) {
  const [text, setText] = useState('');
  const [time, setTime] = useState<EditTime>('always');
  const playhead = useInstant();
  const context: EditContext = { time, playhead, text: text.trim() };
  const done = (isSaved: boolean) => isSaved && setText('');
  const [first, second] = selected;
  if (first === undefined) return null;
  return (
    <section className="thing-panel" aria-label="Selected things" data-testid="thing-panel">
      <h2 className="ellipsis">{selected.map(idOf).join(', ')}</h2>
      {topology.doubts
        .filter(({ entity }) => selected.includes(entity))
        .map(({ entity, doubt, text: doubtText }) => (
          <p key={`${entity} ${doubt}`} className="caution">
            ▲ {doubtText}
          </p>
        ))}
      <Sayings selected={selected} text={text} onText={setText} onDone={done} />
      <div className="button-row">
        {second === undefined ? (
          <Refeed topology={topology} entityKey={first} context={context} onDone={done} />
        ) : (
          <Join from={first} to={second} context={context} onDone={done} />
        )}
        <TimeChoice time={time} onChange={setTime} playhead={playhead} />
      </div>
      {second === undefined ? <LinkList topology={topology} thing={first} context={context} onDone={done} /> : null}
      {second === undefined ? <ProposedOf topology={topology} entityKey={first} /> : null}
    </section>
  );
}

interface SayingsProps {
  readonly selected: readonly string[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onDone: (isSaved: boolean) => void;
}

function Sayings({ selected, text, onText, onDone }: SayingsProps) {
  const doubtText = text.trim();
  const names = selected.map(idOf).join(', ');
  const notes = () =>
    selected.map((thing) => ({ kind: 'note', ...freshAnnotation(doubtText), target: `entity:${thing}` }) as const);
  const save = async (does: string, put: Parameters<typeof annotate>[1]) => onDone(await annotate(does, put));
  const [from, to, third] = selected;
  return (
    <div className="button-row">
      <input
        aria-label="Words for a note, a group, an arrow or a change"
        placeholder="what you know (words for a note, a group, an arrow, a change)"
        className="sayings-text"
        data-annotate=""
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && doubtText !== '') void save(`note on ${names}`, { put: notes() });
        }}
      />
      <button type="button" disabled={doubtText === ''} onClick={() => void save(`note on ${names}`, { put: notes() })}>
        Note
      </button>
      <StampButton stamp="suspect" selected={selected} text={doubtText} onDone={onDone} />
      <StampButton stamp="cleared" selected={selected} text={doubtText} onDone={onDone} />
      <button
        type="button"
        disabled={selected.length < 2}
        title="Shift-click selects several"
        onClick={() =>
          void save(`group of ${selected.length}`, {
            put: [{ kind: 'group', ...freshAnnotation(doubtText), members: [...selected] }],
          })
        }
      >
        Group
      </button>
      <button
        type="button"
        disabled={!from || !to || third !== undefined}
        title="From the first selected thing to the second"
        onClick={() =>
          from &&
          to &&
          void save(`arrow from ${idOf(from)} to ${idOf(to)}`, {
            put: [{ kind: 'arrow', ...freshAnnotation(doubtText), from, to }],
          })
        }
      >
        Arrow
      </button>
      <button
        type="button"
        title="What they recorded, beside all others of the same time  U"
        disabled={selected.length > MOST_ENTITIES}
        onClick={() => showDifferencesOf(selected)}
      >
        What differs here
      </button>
    </div>
  );
}

interface StampButtonProps extends Pick<SayingsProps, 'selected' | 'text' | 'onDone'> {
  readonly stamp: Stamp;
}

/** Stamps what is not stamped so; takes the stamp off when all are. A thing has one stamp. */
function StampButton({ stamp, selected, text, onDone }: StampButtonProps) {
  const list = useAnnotations((state) => state.list);
  const old = list.filter((one) => one.kind === 'stamp' && selected.includes(one.target));
  const same = old.filter((one) => one.kind === 'stamp' && one.stamp === stamp);
  const isOn = same.length === selected.length;
  const names = selected.map(idOf).join(', ');
  const toggle = async () => {
    const put = isOn
      ? []
      : selected.map((target) => ({ kind: 'stamp', ...freshAnnotation(text), target, stamp }) as const);
    const does = isOn ? `${stamp} taken off ${names}` : `${names} ${stamp}`;
    onDone(await annotate(does, { put, remove: old.map(({ id }) => id) }));
  };
  return (
    <button type="button" aria-pressed={isOn} className={`stamp-button ${stamp}`} onClick={() => void toggle()}>
      {stamp === 'suspect' ? '✕ Suspect' : '✓ Cleared'}
    </button>
  );
}

interface TimeChoiceProps {
  readonly time: EditTime;
  readonly playhead: bigint;
  readonly onChange: (time: EditTime) => void;
}

function TimeChoice({ time, playhead, onChange }: TimeChoiceProps) {
  const format = useTimeFormat();
  const now = formatInstant(nanos(playhead), format, 0);
  return (
    <label className="time-choice">
      <span className="muted">changes hold</span>
      <select value={time} onChange={(event) => onChange(event.target.value as EditTime)}>
        <option value="always">always</option>
        <option value="since">since the playhead, {now}</option>
        <option value="until">until the playhead, {now}</option>
      </select>
    </label>
  );
}

interface EditProps {
  readonly context: EditContext;
  readonly onDone: (kept: boolean) => void;
}

function Refeed({
  topology,
  entityKey,
  context,
  onDone,
}: EditProps & { readonly topology: Topology; readonly entityKey: string }) {
  const supplies = suppliesIn(topology);
  const present = linksOf(topology, entityKey).filter(
    ({ edge, link }) => edge.kind === 'feeds' && link.to === entityKey,
  );
  const doubt = topology.doubts.find(({ entity, supply }) => entity === entityKey && supply !== null);
  const [supply, setSupply] = useState('');
  const [old, setOld] = useState('');
  const selectedSupply = supply === '' ? (doubt?.supply ?? '') : supply;
  const isKnown = supplies.includes(selectedSupply) && selectedSupply !== entityKey;
  const save = async () => {
    const insteadOf = old === '*' ? present.map(({ other }) => other) : old === '' ? [] : [old];
    const put = refeed(entityKey, { supply: selectedSupply, insteadOf: [...new Set(insteadOf)] }, context);
    onDone(await annotate(`${idOf(entityKey)} fed by ${idOf(selectedSupply)}`, { put }));
  };
  return (
    <span className="refeed">
      <span className="muted">feed it from</span>
      <input
        list="map-feeders"
        aria-label="New supply"
        placeholder="pdu:…"
        value={selectedSupply}
        onChange={(event) => setSupply(event.target.value)}
      />
      <datalist id="map-feeders">
        {supplies.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <select aria-label="Instead of" value={old} onChange={(event) => setOld(event.target.value)}>
        <option value="">beside what feeds it</option>
        {present.length > 1 ? <option value="*">instead of all that feeds it</option> : null}
        {keyed(present).map(({ key, value: { other } }) => (
          <option key={key} value={other}>
            instead of {idOf(other)}
          </option>
        ))}
      </select>
      <button type="button" disabled={!isKnown} onClick={() => void save()}>
        Re-feed
      </button>
    </span>
  );
}

function Join({ from, to, context, onDone }: EditProps & { readonly from: string; readonly to: string }) {
  const [kind, setKind] = useState<EdgeKind>('feeds');
  const link = { from, edge: kind, to };
  return (
    <span className="refeed">
      <span>{idOf(from)}</span>
      <select aria-label="Kind of link" value={kind} onChange={(event) => setKind(event.target.value as EdgeKind)}>
        {edgeKinds.map((each) => (
          <option key={each} value={each}>
            {each.replace('_', ' ')}
          </option>
        ))}
      </select>
      <span>{idOf(to)}</span>
      <button
        type="button"
        onClick={() =>
          void annotate(`${idOf(from)} ${kind} ${idOf(to)}`, { put: [edgeEdit('add', link, context)] }).then(onDone)
        }
      >
        Add this link
      </button>
    </span>
  );
}

const MOST_LINKS = 60;

function LinkList({
  topology,
  thing,
  context,
  onDone,
}: EditProps & { readonly topology: Topology; readonly thing: string }) {
  const links = linksOf(topology, thing);
  if (links.length === 0) return <p className="muted">No link of it is known.</p>;
  return (
    <ul className="link-list" aria-label={`Links of ${idOf(thing)}`}>
      {keyed(links.slice(0, MOST_LINKS)).map(({ key, value }) => (
        <LinkRow key={key} own={value} context={context} onDone={onDone} />
      ))}
      {links.length > MOST_LINKS ? <li className="muted">and {links.length - MOST_LINKS} more</li> : null}
    </ul>
  );
}

function LinkRow({ own, context, onDone }: EditProps & { readonly own: OwnLink }) {
  const { edge, other, label: words, link } = own;
  const takeAway = async () => {
    const does = `${idOf(link.from)} ${edge.kind} ${idOf(link.to)} taken away`;
    const isOwn = edge.edit !== null && context.time === 'always';
    const change = isOwn ? { remove: [edge.edit!] } : { put: [edgeEdit('remove', link, context)] };
    onDone(await annotate(does, change));
  };
  return (
    <li>
      <span className="muted">{words}</span>
      <button type="button" className="link ellipsis" onClick={() => selectEntity(other)}>
        {idOf(other)}
      </button>
      <Validity from={edge.from_ns} until={edge.until_ns} />
      <span className="muted ellipsis">{edge.provenance.join(', ')}</span>
      <button
        type="button"
        className="plain"
        aria-label={`Take away: ${words} ${idOf(other)}`}
        onClick={() => void takeAway()}
      >
        take away
      </button>
    </li>
  );
}

function Validity({ from, until }: { readonly from: bigint | null; readonly until: bigint | null }) {
  const format = useTimeFormat();
  if (from === null && until === null) return <span className="muted">always</span>;
  const text = (ns: bigint | null): string => (ns === null ? '…' : formatInstant(nanos(ns), format, 0));
  return (
    <span className="muted number">
      {text(from)} - {text(until)}
    </span>
  );
}
