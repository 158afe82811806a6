import { memo } from 'react';
import { severities } from '../../../model/entity.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { kindLabel, type MapItem } from './map-model.ts';
import { messages } from './messages.ts';
import type { EntityState } from './playhead-state.ts';
import { NODE_HEIGHT, NODE_WIDTH } from './power-layout.ts';

/** Marks of a node from the investigator and the verdict. */
export interface NodeMarkFlags {
  /** Numbers in the chain, `2,3`; '' if it is not part of it. */
  readonly step: string;
  readonly stamp: 'suspect' | 'cleared' | null;
  /** Letters of its notes. */
  readonly notes: string;
  /** Contradiction between the records and its place on the map. */
  readonly doubt: string | null;
}

export interface NodeMarkProps {
  readonly item: MapItem;
  readonly x: number;
  readonly y: number;
  readonly severity: number | null;
  readonly text: string;
  /** Time since the event of the text, `4.3 s`; '' without an event. */
  readonly age: string;
  /** Its power and current, `19.8 kW`; '' where not measured. */
  readonly reading: string;
  readonly marks: NodeMarkFlags;
  readonly selected: boolean;
  readonly active: boolean;
}

/** Cuts the middle of a name: names differ at their ends as often as at their starts. */
export function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(head + 1 - most)}`;
}

/** `voltage sag`, `3 of 8: power brake`, `no data`. */
export function stateText(item: MapItem, states: readonly EntityState[], worst: EntityState): string {
  const loud = states.filter(({ severity }) => severity !== null).length;
  if (worst.severity !== null) {
    if (item.entityKey === null) return messages.node.some(loud, item.members.length, readableType(worst.type));
    return readableType(worst.type);
  }
  if (worst.type !== '') return worst.type;
  const blind = item.members.filter(({ recorded }) => !recorded).length;
  if (blind === item.members.length) return messages.node.noData;
  if (blind > 0) return messages.node.withoutData(blind, item.members.length);
  return item.entityKey === null ? '' : kindLabel(item.kind);
}

/** Time since the start of an entity's state; '' for a stack and for a quiet entity. */
export const ageText = (item: MapItem, { severity, age_s }: EntityState): string =>
  severity === null || item.entityKey === null || age_s < 0.05 ? '' : formatDuration(Math.round(age_s * 10) * 1e8);

/** A longer name leaves no room beside it: its title states the reading. */
const MOST_BESIDE_READING = 14;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

export const NodeMark = memo(function NodeMark({
  item,
  x,
  y,
  severity,
  text,
  age,
  reading,
  marks,
  selected,
  active,
}: NodeMarkProps) {
  const blind = item.members.every(({ recorded }) => !recorded) && severity === null;
  const level = severity === null ? '' : ` severity-${severities[severity] ?? 'low'}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a <button>.
    <g
      role="button"
      tabIndex={active ? 0 : -1}
      aria-pressed={selected}
      data-testid="map-node"
      data-node={item.key}
      className={`map-node layer-${item.layer}${level}${selected ? ' selected' : ''}${blind ? ' blind' : ''}`}
      transform={`translate(${x} ${y})`}
    >
      <title>
        {[nodeLabel(item, age === '' ? text : messages.node.ago(text, age), marks), reading].filter(Boolean).join(', ')}
      </title>
      {item.entityKey === null ? (
        <rect className="behind" x={4} y={4} width={NODE_WIDTH} height={NODE_HEIGHT} rx={4} />
      ) : null}
      <rect className="face" width={NODE_WIDTH} height={NODE_HEIGHT} rx={4} />
      <rect className="layer-edge" width={3} height={NODE_HEIGHT} rx={1.5} />
      <text className="node-name" x={12} y={16}>
        {shortened(item.label, 23 - (severity === null ? 0 : 4) - (marks.doubt === null ? 0 : 3))}
      </text>
      <text className="node-state" x={12} y={32}>
        {cut(text, age === '' ? 26 : 18)}
      </text>
      {age === '' ? null : (
        <text className="node-age" x={NODE_WIDTH - 6} y={32}>
          {messages.node.shortAgo(age)}
        </text>
      )}
      {reading === '' || item.label.length > MOST_BESIDE_READING ? null : (
        <text className="node-age" x={NODE_WIDTH - (severity === null ? 6 : 26)} y={16}>
          {reading}
        </text>
      )}
      {severity === null ? null : (
        <SeverityGlyph severity={severity} x={NODE_WIDTH - (marks.doubt === null ? 14 : 36)} y={13} />
      )}
      <Badges marks={marks} />
    </g>
  );
});

function nodeLabel(item: MapItem, text: string, marks: NodeMarkFlags): string {
  return [
    item.entityKey === null ? item.label : `${item.kind} ${item.label}`,
    text,
    marks.step === '' ? '' : messages.node.step(marks.step),
    marks.stamp ?? '',
    marks.notes === '' ? '' : messages.node.notes(marks.notes),
    marks.doubt ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** The severity shapes of the design: colour is never the only sign. */
export function SeverityGlyph({
  severity,
  x,
  y,
}: {
  readonly severity: number;
  readonly x: number;
  readonly y: number;
}) {
  const name = severities[severity] ?? 'low';
  const at = `translate(${x} ${y})`;
  const className = `glyph severity-${name}`;
  switch (name) {
    case 'critical':
      return <path className={className} transform={at} d="M0 -5.5 5.5 4.5H-5.5Z" />;
    case 'high':
      return <path className={className} transform={at} d="M0 -5.5 5.5 0 0 5.5 -5.5 0Z" />;
    case 'medium':
      return <circle className={className} transform={at} r={4.5} />;
    default:
      return <circle className={`${className} ring`} transform={at} r={4} />;
  }
}

function Badges({ marks }: { readonly marks: NodeMarkFlags }) {
  return (
    <>
      {marks.step === '' ? null : (
        <g className="step-badge">
          <rect
            x={-9 - 3 * (marks.step.length - 1)}
            y={-9}
            width={18 + 6 * (marks.step.length - 1)}
            height={18}
            rx={9}
          />
          <text y={4}>{marks.step}</text>
        </g>
      )}
      {marks.stamp ? (
        <g className={`stamp ${marks.stamp}`} transform={`translate(${NODE_WIDTH - 62} ${NODE_HEIGHT - 4})`}>
          <rect width={60} height={15} rx={3} />
          <text x={30} y={11}>
            {marks.stamp === 'suspect' ? messages.stamps.suspect : messages.stamps.cleared}
          </text>
        </g>
      ) : null}
      {marks.notes === '' ? null : (
        <g className="note-flag" transform={`translate(${NODE_WIDTH - 30} -8)`}>
          <path d="M0 14V0H26L21 6.5L26 13H0" />
          <text x={11} y={10}>
            {shortened(marks.notes, 4)}
          </text>
        </g>
      )}
      {marks.doubt ? (
        <text className="doubt-mark" x={NODE_WIDTH - 24} y={17}>
          ▲?
        </text>
      ) : null}
    </>
  );
}
