import { memo } from 'react';
import { severities } from '../../../model/entity.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { shortUuid } from '../../draw/text/gpu-text.ts';
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
  /** Map units that text needs at the scale of the map to be read. */
  readonly leastText: number;
}

/** Text below this many pixels is not read. */
const LEAST_PX = 10;
/** Map units of the texts of a node at full size. */
const NAME = 12;
const STATE = 11;
/** Between the end of a name and the edge of its node. */
const MARGIN = 4;
/** Of letters per their height, at the size of a map: small ones, digits, capitals. */
const [SMALL, DIGIT, CAPITAL] = [0.58, 0.66, 0.75] as const;
/** Larger text leaves a node room for its name alone; more than MOST_TEXT, for none. */
const MOST_STATE_TEXT = 17;
export const MOST_TEXT = 25;

/** In quarters of a unit: nodes are not drawn anew for each step of a zoom. */
export const leastTextAt = (scale: number): number => Math.ceil((4 * LEAST_PX) / scale) / 4;

/** Cuts the middle of a name: names differ at their ends as often as at their starts. */
export function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(head + 1 - most)}`;
}

/** Mean width of a letter of a text, per its height. */
function letterWidth(text: string): number {
  const widths = [...text].map((letter) => (/[A-Z…]/.test(letter) ? CAPITAL : /\d/.test(letter) ? DIGIT : SMALL));
  return widths.reduce((sum, one) => sum + one, 0) / Math.max(1, widths.length);
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
  leastText,
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
      <NodeText {...{ item, severity, text, age, reading, leastText }} isDoubted={marks.doubt !== null} />
      <Badges marks={marks} scale={Math.max(1, leastText / STATE)} />
    </g>
  );
});

interface NodeTextProps extends Pick<NodeMarkProps, 'item' | 'severity' | 'text' | 'age' | 'reading' | 'leastText'> {
  readonly isDoubted: boolean;
}

/** Name, state and severity. What has no room at the scale of the map is in the title. */
function NodeText({ item, severity, text, age, reading, leastText, isDoubted }: NodeTextProps) {
  if (leastText > MOST_TEXT) return null;
  const isFull = leastText <= STATE;
  const hasState = leastText <= MOST_STATE_TEXT;
  const left = isFull ? 12 : 9;
  const lettersOf = (some: string): number =>
    Math.floor((NODE_WIDTH - left - MARGIN) / (letterWidth(some) || SMALL) / Math.max(NAME, leastText));
  const beside = (severity !== null && isFull ? 4 : 0) + (isDoubted ? 3 : 0);
  const name = shortUuid(item.label);
  return (
    <>
      <text className="node-name" x={left} y={isFull ? 16 : hasState ? 17 : 20 + leastText / 3}>
        {shortened(name, lettersOf(name) - beside)}
      </text>
      {hasState ? (
        <text className="node-state" x={left} y={isFull ? 32 : 35}>
          {cut(text, isFull ? (age === '' ? 26 : 18) : lettersOf(text))}
        </text>
      ) : null}
      {isFull && age !== '' ? (
        <text className="node-age" x={NODE_WIDTH - 6} y={32}>
          {messages.node.shortAgo(age)}
        </text>
      ) : null}
      {isFull && reading !== '' && item.label.length <= MOST_BESIDE_READING ? (
        <text className="node-age" x={NODE_WIDTH - (severity === null ? 6 : 26)} y={16}>
          {reading}
        </text>
      ) : null}
      {severity === null ? null : (
        <SeverityGlyph
          severity={severity}
          x={NODE_WIDTH - (isDoubted && isFull ? 36 : 14)}
          y={isFull ? 13 : NODE_HEIGHT - 12}
        />
      )}
    </>
  );
}

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

/** @param scale how much larger than at full size the badges have to be, to be read */
function Badges({ marks, scale }: { readonly marks: NodeMarkFlags; readonly scale: number }) {
  const width = 18 + 6 * (marks.step.length - 1);
  return (
    <>
      {marks.step === '' ? null : (
        <g className="step-badge" transform={`translate(9 9) scale(${scale})`}>
          <rect x={-width / 2 - 9} y={-18} width={width} height={18} rx={9} />
          <text x={-9} y={-5}>
            {marks.step}
          </text>
        </g>
      )}
      {marks.stamp ? (
        <g
          className={`stamp ${marks.stamp}`}
          transform={`translate(${NODE_WIDTH - 2} ${NODE_HEIGHT - 4}) scale(${scale})`}
        >
          <rect x={-60} width={60} height={15} rx={3} />
          <text x={-30} y={11}>
            {marks.stamp === 'suspect' ? messages.stamps.suspect : messages.stamps.cleared}
          </text>
        </g>
      ) : null}
      {marks.notes === '' ? null : (
        <g className="note-flag" transform={`translate(${NODE_WIDTH - 4} 6) scale(${scale})`}>
          <path d="M-26 0V-14H0L-5 -7.5L0 -1H-26" />
          <text x={-15} y={-4}>
            {shortened(marks.notes, 4)}
          </text>
        </g>
      )}
      {marks.doubt ? (
        <text className="doubt-mark" x={NODE_WIDTH - 4} y={17} textAnchor="end">
          ▲?
        </text>
      ) : null}
    </>
  );
}
