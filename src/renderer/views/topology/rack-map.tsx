import { useMemo } from 'react';
import type { Topology, TopologyNode } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { noteMarkers } from '../../state/annotations.ts';
import { showDetails } from '../../state/case-state.ts';
import { selectEntity, toggleEntity, useFocus } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { usePreferences } from '../../state/preferences.ts';
import { nodeName } from './map-model.ts';
import { messages } from './messages.ts';
import { ageText, SeverityGlyph, shortened, stateText } from './node-mark.tsx';
import { type EntityState, worse } from './playhead-state.ts';
import { type Rack, racksOf, type Slot } from './racks.ts';
import { type PowerMap, useInstant } from './use-map.ts';
import type { Readings } from './use-readings.ts';
import type { States } from './use-states.ts';

export interface RackMapProps {
  readonly topology: Topology;
  readonly map: PowerMap;
  readonly states: States;
  readonly readings: Readings;
  /** Entities of the incident. */
  readonly involved: ReadonlySet<string>;
}

const MOST_RACKS = 80;

/** The racks side by side, their machines from top to bottom, and the GPUs of each machine. */
export function RackMap({ topology, map, states, readings, involved }: RackMapProps) {
  const flags = useFlags(map);
  const scope = usePreferences((state) => state.topologyScope);
  const racks = useMemo(() => racksOf(topology), [topology]);
  const shown = useMemo(() => {
    const own = racks.filter(({ node, slots }) =>
      [node, ...slots.flatMap(({ node: each, parts }) => [each, ...parts])].some(({ key }) => involved.has(key)),
    );
    const shownRacks = scope === 'incident' && own.length > 0 ? own : racks;
    return shownRacks.slice(0, MOST_RACKS);
  }, [racks, involved, scope]);
  if (racks.length === 0) return <p className="empty muted">{messages.racks.none}</p>;
  return (
    <div className="rack-map" data-testid="rack-map">
      {shown.map((rack) => (
        <RackColumn
          key={rack.node.key}
          rack={rack}
          states={states}
          readings={readings}
          involved={involved}
          flags={flags}
        />
      ))}
      {racks.length > shown.length ? (
        <p className="muted">{messages.racks.hidden(racks.length - shown.length, scope === 'incident')}</p>
      ) : null}
    </div>
  );
}

interface RackColumnProps extends Omit<RackMapProps, 'topology' | 'map'> {
  readonly rack: Rack;
  readonly flags: ReadonlyMap<string, Flags>;
}

function RackColumn({ rack, states, readings, involved, flags }: RackColumnProps) {
  const at = useInstant();
  const drawn = rack.slots
    .filter(({ node }) => node.kind === 'pdu')
    .map(({ node }) => readings.power(node.key, at))
    .filter((one) => !Number.isNaN(one));
  return (
    <section className="rack" aria-label={messages.racks.rack(rack.node.id)}>
      <h2 className="ellipsis">{rack.node.id}</h2>
      <p className="muted">
        {rack.slots.some(({ node }) => node.unit !== null) ? messages.racks.byUnit : messages.racks.byName}
        {drawn.length > 0
          ? `; ${messages.racks.power(
              formatValue(
                drawn.reduce((sum, one) => sum + one, 0),
                'W',
              ),
            )}`
          : ''}
      </p>
      <ol>
        {rack.slots.map((slot) => (
          <SlotRow
            key={slot.node.key}
            slot={slot}
            states={states}
            reading={readings.of(slot.node.key, at)}
            flags={flags.get(slot.node.key) ?? unflagged}
            involved={involved.has(slot.node.key)}
          />
        ))}
      </ol>
    </section>
  );
}

/** Numbers in the chain that have happened, and notes with their texts. */
interface Flags {
  readonly steps: string;
  readonly notes: string;
  readonly texts: string;
}
const unflagged: Flags = { steps: '', notes: '', texts: '' };

function useFlags({ chain, happened }: PowerMap): ReadonlyMap<string, Flags> {
  const annotations = useAnnotationList();
  return useMemo(() => {
    const flags = new Map<string, Flags>();
    const change = (key: string, by: (before: Flags) => Partial<Flags>) => {
      const before = flags.get(key) ?? unflagged;
      flags.set(key, { ...before, ...by(before) });
    };
    for (const [at, key] of chain.entries())
      if (happened[at]) change(key, ({ steps }) => ({ steps: [steps, at + 1].filter(Boolean).join() }));
    const letters = noteMarkers(annotations);
    for (const one of annotations) {
      if (one.kind === 'stamp')
        change(one.target, ({ notes }) => ({ notes: `${notes}${messages.stamps[one.stamp]} ` }));
      if (one.kind !== 'note' || !one.target?.startsWith('entity:')) continue;
      const key = one.target.slice('entity:'.length);
      change(key, ({ notes, texts }) => ({
        notes: notes + (letters.get(one.id) ?? ''),
        texts: [texts, one.text].filter(Boolean).join('\n'),
      }));
    }
    return flags;
  }, [chain, happened, annotations]);
}

interface SlotProps {
  readonly slot: Slot;
  readonly states: States;
  /** Its power and current; '' where not measured. */
  readonly reading: string;
  readonly flags: Flags;
  readonly involved: boolean;
}

function SlotRow({ slot, states, reading, flags, involved }: SlotProps) {
  const at = useInstant();
  const { node, parts } = slot;
  const selected = useFocus((focus) => focus.entities.includes(node.key));
  const own = states.of(node, at);
  const partStates = parts.map((part) => ({ part, state: states.of(part, at) }));
  const worst = partStates.reduce<EntityState>((sum, { state }) => worse(sum, state), own);
  const text = nodeText(node, own);
  const level = worst.severity === null ? '' : ` severity-${severities[worst.severity] ?? 'low'}`;
  return (
    <li>
      <button
        type="button"
        className={`slot layer-${node.layer}${level}${selected ? ' selected' : ''}${node.recorded ? '' : ' blind'}${involved ? ' involved' : ''}`}
        aria-pressed={selected}
        title={[`${node.kind} ${nodeName(node)}`, text, reading, flags.texts].filter(Boolean).join('\n')}
        onClick={(event) => selectNode(node.key, event.shiftKey)}
      >
        <span className="slot-unit muted number">{node.unit === null ? '' : messages.racks.unit(node.unit)}</span>
        <span className="slot-name">{shortened(nodeName(node), 20)}</span>
        {flags.steps === '' ? null : <span className="slot-step">{flags.steps}</span>}
        {flags.notes === '' ? null : <span className="slot-notes">{flags.notes}</span>}
        <span className="slot-state muted ellipsis">{[reading, text].filter(Boolean).join(', ')}</span>
        {worst.severity === null ? null : (
          <svg width="14" height="14" aria-hidden="true">
            <SeverityGlyph severity={worst.severity} x={7} y={7} />
          </svg>
        )}
      </button>
      {parts.length > 0 ? <Parts parts={partStates} /> : null}
    </li>
  );
}

const itemOf = (node: TopologyNode) =>
  ({
    key: node.key,
    entityKey: node.key,
    kind: node.kind,
    layer: node.layer,
    label: nodeName(node),
    members: [node],
    column: 0,
  }) as const;

function nodeText(node: TopologyNode, state: EntityState): string {
  const item = itemOf(node);
  const age = ageText(item, state);
  return `${stateText(item, [state], state)} ${age === '' ? '' : messages.node.shortAgo(age)}`.trimEnd();
}

function Parts({ parts }: { readonly parts: readonly { readonly part: TopologyNode; readonly state: EntityState }[] }) {
  const selected = useFocus((focus) => focus.entities);
  return (
    <span className="slot-parts">
      {parts.map(({ part, state }) => (
        <button
          key={part.key}
          type="button"
          className={`part${state.severity === null ? '' : ` severity-${severities[state.severity] ?? 'low'}`}${part.recorded ? '' : ' blind'}${selected.includes(part.key) ? ' selected' : ''}`}
          aria-pressed={selected.includes(part.key)}
          aria-label={`${part.kind} ${nodeName(part)}: ${nodeText(part, state)}`}
          title={`${part.kind} ${nodeName(part)}\n${nodeText(part, state)}`}
          onClick={(event) => selectNode(part.key, event.shiftKey)}
        >
          {state.severity === null ? null : (
            <svg width="14" height="14" aria-hidden="true">
              <SeverityGlyph severity={state.severity} x={7} y={7} />
            </svg>
          )}
        </button>
      ))}
    </span>
  );
}

function selectNode(entityKey: string, more: boolean): void {
  if (more) return toggleEntity(entityKey);
  selectEntity(entityKey);
  showDetails();
}
