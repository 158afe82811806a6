import { useMemo } from 'react';
import type { Topology, TopologyNode } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { showDetails } from '../../state/case-state.ts';
import { selectEntity, toggleEntity, useFocus } from '../../state/focus.ts';
import { usePreferences } from '../../state/preferences.ts';
import { messages } from './messages.ts';
import { ageText, SeverityGlyph, shortened, stateText } from './node-mark.tsx';
import { type EntityState, worse } from './playhead-state.ts';
import { type Rack, racksOf, type Slot } from './racks.ts';
import { useInstant } from './use-map.ts';
import type { States } from './use-states.ts';

export interface RackMapProps {
  readonly topology: Topology;
  readonly states: States;
  /** Entities of the incident. */
  readonly involved: ReadonlySet<string>;
}

const MOST_RACKS = 80;

/** The racks side by side, their machines from top to bottom, and the GPUs of each machine. */
export function RackMap({ topology, states, involved }: RackMapProps) {
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
        <RackColumn key={rack.node.key} rack={rack} states={states} involved={involved} />
      ))}
      {racks.length > shown.length ? (
        <p className="muted">{messages.racks.hidden(racks.length - shown.length, scope === 'incident')}</p>
      ) : null}
    </div>
  );
}

function RackColumn({ rack, states, involved }: { readonly rack: Rack } & Omit<RackMapProps, 'topology'>) {
  return (
    <section className="rack" aria-label={messages.racks.rack(rack.node.id)}>
      <h2 className="ellipsis">{rack.node.id}</h2>
      <p className="muted">
        {rack.slots.some(({ node }) => node.unit !== null) ? messages.racks.byUnit : messages.racks.byName}
      </p>
      <ol>
        {rack.slots.map((slot) => (
          <SlotRow key={slot.node.key} slot={slot} states={states} involved={involved.has(slot.node.key)} />
        ))}
      </ol>
    </section>
  );
}

interface SlotProps {
  readonly slot: Slot;
  readonly states: States;
  readonly involved: boolean;
}

function SlotRow({ slot, states, involved }: SlotProps) {
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
        title={`${node.kind} ${node.id}\n${text}`}
        onClick={(event) => selectNode(node.key, event.shiftKey)}
      >
        <span className="slot-unit muted number">{node.unit === null ? '' : messages.racks.unit(node.unit)}</span>
        <span className="slot-name">{shortened(node.id, 20)}</span>
        <span className="slot-state muted ellipsis">{text}</span>
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
    label: node.id,
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
          aria-label={`${part.kind} ${part.id}: ${nodeText(part, state)}`}
          title={`${part.kind} ${part.id}\n${nodeText(part, state)}`}
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
