import { useState } from 'react';
import { MOST_ENTITIES, type Topology } from '../../../model/contract/index.ts';
import type { Stamp } from '../../../model/incident/annotation.ts';
import { shortList } from '../../../model/incident/chain-folds.ts';
import { nanos } from '../../../model/time.ts';
import { type EdgeKind, edgeKinds } from '../../../model/topology.ts';
import { annotate, freshAnnotation } from '../../state/annotations.ts';
import { showDifferencesOf } from '../../state/difference-request.ts';
import { selectEntity } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import {
  type EditContext,
  type EditTime,
  edgeEdit,
  linksOf,
  nameIn,
  type OwnLink,
  refeed,
  suppliesIn,
  supplyNamed,
} from './edit-links.ts';
import { messages } from './messages.ts';
import { ProposedOf } from './proposals.tsx';
import { useInstant } from './use-map.ts';

const idOf = (entityKey: string): string => entityKey.slice(entityKey.indexOf(':') + 1);

export interface EntityPanelProps {
  readonly topology: Topology;
  readonly selected: readonly string[];
}

/** Annotations and links of the selected entities. */
export function EntityPanel({ topology, selected }: EntityPanelProps) {
  const [text, setText] = useState('');
  const [time, setTime] = useState<EditTime>('always');
  // Editing the topology ranks again: it is not beside every look at a node.
  const [isEditing, setEditing] = useState(false);
  const playhead = useInstant();
  const context: EditContext = { time, playhead, text: text.trim() };
  const done = (isSaved: boolean) => isSaved && setText('');
  const [first, second] = selected;
  const names = selected.map((entityKey) => nameIn(topology, entityKey)).join(', ');
  if (first === undefined) return null;
  return (
    <section className="entity-panel" aria-label={messages.panel.label} data-testid="entity-panel">
      <h2 className="ellipsis" title={names}>
        {names}
      </h2>
      {topology.doubts
        .filter(({ entity }) => selected.includes(entity))
        .map(({ entity, doubt, text: noteText }) => (
          <p key={`${entity} ${doubt}`} className="caution">
            ▲ {noteText}
          </p>
        ))}
      <Sayings selected={selected} text={text} onText={setText} onDone={done} />
      <div className="button-row">
        <button type="button" aria-pressed={isEditing} onClick={() => setEditing(!isEditing)}>
          {messages.panel.editLinks}
        </button>
        {!isEditing ? null : second === undefined ? (
          <Refeed topology={topology} entityKey={first} context={context} onDone={done} />
        ) : (
          <Join from={first} to={second} context={context} onDone={done} />
        )}
        {isEditing ? <TimeChoice time={time} onChange={setTime} playhead={playhead} /> : null}
      </div>
      {second === undefined ? (
        <LinkList topology={topology} entityKey={first} context={context} onDone={done} isEditing={isEditing} />
      ) : null}
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
  const noteText = text.trim();
  const names = shortList(selected.map(idOf));
  const notes = () =>
    selected.map(
      (entityKey) => ({ kind: 'note', ...freshAnnotation(noteText), target: `entity:${entityKey}` }) as const,
    );
  const save = async (does: string, put: Parameters<typeof annotate>[1]) => onDone(await annotate(does, put));
  const [from, to, third] = selected;
  return (
    <div className="button-row">
      <input
        aria-label={messages.panel.text}
        placeholder={messages.panel.textPlaceholder}
        className="annotation-text"
        data-annotate=""
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && noteText !== '') void save(messages.panel.noteOn(names), { put: notes() });
        }}
      />
      <button
        type="button"
        disabled={noteText === ''}
        onClick={() => void save(messages.panel.noteOn(names), { put: notes() })}
      >
        {messages.panel.note}
      </button>
      <StampButton stamp="suspect" selected={selected} text={noteText} onDone={onDone} />
      <StampButton stamp="cleared" selected={selected} text={noteText} onDone={onDone} />
      <button
        type="button"
        disabled={selected.length < 2}
        title={messages.panel.selectSeveral}
        onClick={() =>
          void save(messages.panel.groupOf(selected.length), {
            put: [{ kind: 'group', ...freshAnnotation(noteText), members: [...selected] }],
          })
        }
      >
        {messages.panel.group}
      </button>
      <button
        type="button"
        disabled={!from || !to || third !== undefined}
        title={messages.panel.arrowTitle}
        onClick={() =>
          from &&
          to &&
          void save(messages.panel.arrow(idOf(from), idOf(to)), {
            put: [{ kind: 'arrow', ...freshAnnotation(noteText), from, to }],
          })
        }
      >
        {messages.panel.arrowButton}
      </button>
      <button
        type="button"
        title={messages.panel.differencesTitle}
        disabled={selected.length > MOST_ENTITIES}
        onClick={() => showDifferencesOf(selected)}
      >
        {messages.panel.differences}
      </button>
    </div>
  );
}

interface StampButtonProps extends Pick<SayingsProps, 'selected' | 'text' | 'onDone'> {
  readonly stamp: Stamp;
}

/** Stamps the entities without this stamp; if all have it, removes it. An entity has one stamp. */
function StampButton({ stamp, selected, text, onDone }: StampButtonProps) {
  const list = useAnnotationList();
  const old = list.filter((one) => one.kind === 'stamp' && selected.includes(one.target));
  const same = old.filter((one) => one.kind === 'stamp' && one.stamp === stamp);
  const isOn = same.length === selected.length;
  const names = shortList(selected.map(idOf));
  const toggle = async () => {
    const put = isOn
      ? []
      : selected.map((target) => ({ kind: 'stamp', ...freshAnnotation(text), target, stamp }) as const);
    const does = isOn ? messages.panel.stampRemoved(stamp, names) : `${names} ${stamp}`;
    onDone(await annotate(does, { put, remove: old.map(({ id }) => id) }));
  };
  return (
    <button type="button" aria-pressed={isOn} className={`stamp-button ${stamp}`} onClick={() => void toggle()}>
      {stamp === 'suspect' ? messages.stamps.suspectButton : messages.stamps.clearedButton}
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
      <span className="muted">{messages.panel.valid}</span>
      <select value={time} onChange={(event) => onChange(event.target.value as EditTime)}>
        <option value="always">{messages.panel.always}</option>
        <option value="since">{messages.panel.since(now)}</option>
        <option value="until">{messages.panel.until(now)}</option>
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
  const typed = supply === '' ? idOf(doubt?.supply ?? '') : supply;
  const selectedSupply = supplyNamed(topology, supply === '' ? (doubt?.supply ?? '') : supply) ?? '';
  const isKnown = selectedSupply !== '' && selectedSupply !== entityKey;
  const save = async () => {
    const insteadOf = old === '*' ? present.map(({ other }) => other) : old === '' ? [] : [old];
    const put = refeed(entityKey, { supply: selectedSupply, insteadOf: [...new Set(insteadOf)] }, context);
    onDone(await annotate(messages.panel.fedBy(idOf(entityKey), idOf(selectedSupply)), { put }));
  };
  return (
    <form
      className="refeed"
      onSubmit={(event) => {
        event.preventDefault();
        if (isKnown) void save();
      }}
    >
      <span className="muted">{messages.panel.supply}</span>
      <input
        list="map-feeders"
        aria-label={messages.panel.newSupply}
        placeholder={messages.panel.supplyPlaceholder}
        value={typed}
        onChange={(event) => setSupply(event.target.value)}
      />
      <datalist id="map-feeders">
        {supplies.map((key) => (
          <option key={key} value={supplyNamed(topology, idOf(key)) === key ? idOf(key) : key} />
        ))}
      </datalist>
      <select aria-label={messages.panel.insteadOf} value={old} onChange={(event) => setOld(event.target.value)}>
        <option value="">{messages.panel.add}</option>
        {present.length > 1 ? <option value="*">{messages.panel.replaceAll}</option> : null}
        {keyed(present).map(({ key, value: { other } }) => (
          <option key={key} value={other}>
            {messages.panel.replace(idOf(other))}
          </option>
        ))}
      </select>
      <button type="submit" disabled={!isKnown}>
        {messages.panel.apply}
      </button>
      {typed.trim() === '' || isKnown ? null : <span className="caution">{messages.panel.noSupply(typed.trim())}</span>}
    </form>
  );
}

function Join({ from, to, context, onDone }: EditProps & { readonly from: string; readonly to: string }) {
  const [kind, setKind] = useState<EdgeKind>('feeds');
  const link = { from, edge: kind, to };
  return (
    <span className="refeed">
      <span>{idOf(from)}</span>
      <select
        aria-label={messages.panel.linkKind}
        value={kind}
        onChange={(event) => setKind(event.target.value as EdgeKind)}
      >
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
        {messages.panel.addLink}
      </button>
    </span>
  );
}

const MOST_LINKS = 60;

function LinkList({
  topology,
  entityKey,
  context,
  onDone,
  isEditing,
}: EditProps & { readonly topology: Topology; readonly entityKey: string; readonly isEditing: boolean }) {
  const links = linksOf(topology, entityKey);
  if (links.length === 0) return <p className="muted">{messages.panel.noLinks}</p>;
  return (
    <ul className="link-list" aria-label={messages.panel.linksOf(nameIn(topology, entityKey))}>
      {keyed(links.slice(0, MOST_LINKS)).map(({ key, value }) => (
        <LinkRow
          key={key}
          own={value}
          name={nameIn(topology, value.other)}
          context={context}
          onDone={onDone}
          isEditing={isEditing}
        />
      ))}
      {links.length > MOST_LINKS ? (
        <li className="muted">{messages.panel.moreLinks(links.length - MOST_LINKS)}</li>
      ) : null}
    </ul>
  );
}

function LinkRow({
  own,
  name,
  context,
  onDone,
  isEditing,
}: EditProps & { readonly own: OwnLink; readonly name: string; readonly isEditing: boolean }) {
  const { edge, other, label: words, link } = own;
  const removeLink = async () => {
    const does = messages.panel.linkRemoved(idOf(link.from), edge.kind, idOf(link.to));
    const isOwn = edge.edit !== null && context.time === 'always';
    const change = isOwn ? { remove: [edge.edit!] } : { put: [edgeEdit('remove', link, context)] };
    onDone(await annotate(does, change));
  };
  return (
    <li>
      <span className="muted">{words}</span>
      <button type="button" className="link ellipsis" onClick={() => selectEntity(other)}>
        {name}
      </button>
      <Validity from={edge.from_ns} until={edge.until_ns} />
      <span className="muted ellipsis">{edge.provenance.join(', ')}</span>
      {isEditing ? (
        <button
          type="button"
          className="plain"
          aria-label={messages.panel.removeLinkTo(words, name)}
          onClick={() => void removeLink()}
        >
          {messages.panel.removeLink}
        </button>
      ) : null}
    </li>
  );
}

function Validity({ from, until }: { readonly from: bigint | null; readonly until: bigint | null }) {
  const format = useTimeFormat();
  if (from === null && until === null) return <span className="muted">{messages.panel.always}</span>;
  const text = (ns: bigint | null): string => (ns === null ? '…' : formatInstant(nanos(ns), format, 0));
  return (
    <span className="muted number">
      {text(from)} - {text(until)}
    </span>
  );
}
