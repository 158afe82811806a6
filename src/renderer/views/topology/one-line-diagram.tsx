import { type KeyboardEvent, memo, type RefObject, useMemo } from 'react';
import type { Topology } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { entityTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { selectEntity, toggleEntity, useFocus } from '../../state/focus.ts';
import { usePreferences } from '../../state/preferences.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { linksOnChain, type MapLink } from './map-model.ts';
import { messages } from './messages.ts';
import { nearestNode } from './nearest-node.ts';
import { ageText, SeverityGlyph, shortened, stateText } from './node-mark.tsx';
import { type Feed, feedsOf, isLoad, oneLineOf } from './one-line.ts';
import { quiet, worse } from './playhead-state.ts';
import type { NodeRect } from './power-layout.ts';
import { type PowerMap, useInstant } from './use-map.ts';
import type { Readings } from './use-readings.ts';
import type { States } from './use-states.ts';

const texts = messages.oneLine;
/** Of a symbol, and half of the length of a bus. */
const SIZE = 32;
const BUS = 56;

interface OneLineProps {
  readonly topology: Topology;
  readonly map: PowerMap;
  readonly states: States;
  readonly readings: Readings;
  readonly svg: RefObject<SVGSVGElement | null>;
}

/** The electrical one-line diagram of the incident at the playhead: what feeds what, with power, and where redundancy is lost. */
export function OneLineDiagram({ topology, map, states, readings, svg }: OneLineProps) {
  const scope = usePreferences((state) => state.topologyScope);
  const { flows, chain } = map;
  const drawn = useMemo(
    () => oneLineOf(topology, flows, scope === 'incident' ? chain : []),
    [topology, flows, chain, scope],
  );
  const at = useInstant();
  const { model, places, width, height } = drawn;
  const placeOf = useMemo(() => new Map(places.map((place) => [place.item.key, place])), [places]);
  const stateOf = (key: string) =>
    (placeOf.get(key)?.item.members ?? []).map((member) => states.of(member, at)).reduce(worse, quiet);
  const feeds = feedsOf(model.links, stateOf);
  const onChain = useMemo(() => linksOnChain(model, map.links), [model, map.links]);
  if (places.length === 0) return <p className="empty muted">{texts.none}</p>;
  return (
    <div className="one-line">
      {/* biome-ignore lint/a11y/useSemanticElements: a <fieldset> cannot contain SVG nodes. */}
      <svg ref={svg} width={width} height={height} role="group" aria-label={texts.label} data-testid="one-line">
        <g data-map="">
          {model.links.map((link) => {
            const [from, to] = [placeOf.get(link.from), placeOf.get(link.to)];
            if (!from || !to) return null;
            const feed = feeds.get(link);
            const inputs = model.links.filter((one) => one.to === link.to);
            return (
              <FeedLine
                key={`${link.from}\n${link.to}`}
                from={from}
                to={to}
                shift={(inputs.indexOf(link) - (inputs.length - 1) / 2) * 14}
                chain={onChain.has(`${link.from}\n${link.to}`)}
                state={feed?.state ?? 'shared'}
                text={feed ? feedText(feed, link, (key) => readings.of(key, at)) : ''}
              />
            );
          })}
          {places.map((place, index) => (
            <DeviceMark
              key={place.item.key}
              place={place}
              places={places}
              isFirst={index === 0}
              states={states}
              at={at}
              reading={place.item.entityKey === null ? '' : readings.of(place.item.entityKey, at)}
              step={chain
                .flatMap((key, step) =>
                  model.nodeByEntity.get(key) === place.item.key && map.happened[step] ? [step + 1] : [],
                )
                .join()}
            />
          ))}
        </g>
      </svg>
    </div>
  );
}

/** What a device draws flows through the only supply that it has left. */
function feedText({ state, type, of }: Feed, { to }: MapLink, readingOf: (key: string) => string): string {
  const load = readingOf(to);
  switch (state) {
    case 'disturbed':
      return readableType(type);
    case 'alone':
      return texts.alone(load);
    case 'only':
      return texts.only(load);
    case 'shared':
      return texts.shared(of);
  }
}

interface FeedLineProps {
  readonly from: NodeRect;
  readonly to: NodeRect;
  /** Beside the other lines into the same target. */
  readonly shift: number;
  readonly chain: boolean;
  readonly state: Feed['state'];
  readonly text: string;
}

/** Down, along a bus, and down. */
const FeedLine = memo(function FeedLine({ from, to, shift, chain, state, text }: FeedLineProps) {
  const [x2, y1] = [to.x + shift, from.y + (from.item.kind === 'pdu' ? SIZE / 2 : SIZE)];
  const y2 = to.y + (to.item.kind === 'pdu' ? SIZE / 2 : 0);
  const bus = to.y - 36 - shift;
  return (
    <g className={`feed-line ${state}${chain ? ' chain' : ''}`}>
      <path d={`M${from.x} ${y1}V${bus}H${x2}V${y2}`}>
        <title>{texts.title(from.item.label, to.item.label, text)}</title>
      </path>
      <text
        className="feed-text"
        x={x2 + (shift < 0 ? -4 : 4)}
        y={to.y - (to.item.kind === 'pdu' ? 40 : shift < 0 ? 4 : 16)}
        textAnchor={shift < 0 ? 'end' : 'start'}
      >
        {text}
      </text>
    </g>
  );
});

interface DeviceMarkProps {
  readonly place: NodeRect;
  readonly places: readonly NodeRect[];
  readonly isFirst: boolean;
  readonly states: States;
  readonly at: bigint;
  readonly reading: string;
  readonly step: string;
}

function DeviceMark({ place, places, isFirst, states, at, reading, step }: DeviceMarkProps) {
  const { item, x, y } = place;
  const isSelected = useFocus(({ entities }) => item.members.some(({ key }) => entities.includes(key)));
  const each = item.members.map((member) => states.of(member, at));
  const worst = each.reduce(worse, quiet);
  const age = ageText(item, worst);
  const text = `${stateText(item, each, worst)}${age === '' ? '' : ` ${messages.node.shortAgo(age)}`}`;
  const level = worst.severity === null ? '' : ` severity-${severities[worst.severity] ?? 'low'}`;
  const blind = item.members.every(({ recorded }) => !recorded) && worst.severity === null;
  const name = [`${item.kind} ${item.label}`, text, reading, step === '' ? '' : messages.node.step(step)]
    .filter(Boolean)
    .join(', ');
  const choose = (more: boolean): void => {
    if (item.entityKey === null) return;
    if (more) return toggleEntity(item.entityKey);
    selectEntity(item.entityKey);
    showDetails();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a <button>.
    <g
      role="button"
      tabIndex={isFirst ? 0 : -1}
      aria-pressed={isSelected}
      data-node={item.key}
      className={`one-line-node layer-${item.layer}${level}${isSelected ? ' selected' : ''}${blind ? ' blind' : ''}`}
      transform={`translate(${x} ${y})`}
      onClick={(event) => choose(event.shiftKey)}
      onContextMenu={(event) => item.entityKey !== null && openAt(event, () => entityTarget(item.entityKey ?? ''))}
      onKeyDown={(event) => onKey(event, { place, places, choose })}
    >
      <title>{name}</title>
      <Device kind={item.kind} />
      <Lines kind={item.kind} lines={[shortened(item.label, 22), text, reading]} />
      <g
        transform={`translate(${item.kind === 'pdu' ? BUS + 14 : SIZE / 2 + 14 + 3 * Math.max(0, step.length - 1)} ${SIZE / 2})`}
      >
        {worst.severity === null ? null : (
          <SeverityGlyph severity={worst.severity} x={step === '' ? 0 : 20 + 3 * (step.length - 1)} y={0} />
        )}
        {step === '' ? null : (
          <g className="step-badge">
            <rect x={-9 - 3 * (step.length - 1)} y={-9} width={18 + 6 * (step.length - 1)} height={18} rx={9} />
            <text y={4}>{step}</text>
          </g>
        )}
      </g>
    </g>
  );
}

/** Below a load; beside a supply, whose lines go on downwards. */
function Lines({ kind, lines }: { readonly kind: string; readonly lines: readonly [string, string, string] }) {
  const [x, y, anchor] = isLoad(kind)
    ? ([0, SIZE + 14, 'middle'] as const)
    : kind === 'pdu'
      ? ([-8, -18, 'end'] as const)
      : ([-SIZE / 2 - 8, 6, 'end'] as const);
  const [name, ...more] = lines;
  return (
    <>
      <text className="device-name" x={x} y={y} textAnchor={anchor}>
        {name}
      </text>
      {more
        .filter((line) => line !== '')
        .map((line, at) => (
          <text key={line} className="device-state" x={x} y={y + 13 * (at + 1)} textAnchor={anchor}>
            {line}
          </text>
        ))}
    </>
  );
}

interface Keyed {
  readonly place: NodeRect;
  readonly places: readonly NodeRect[];
  readonly choose: (more: boolean) => void;
}

/** Arrow keys go to the next symbol, Enter selects it, `.` lists what can be done. */
function onKey(event: KeyboardEvent<SVGGElement>, { place, places, choose }: Keyed): void {
  const next = nearestNode(places, place, event.key);
  const { entityKey } = place.item;
  if (next) {
    const all = event.currentTarget.ownerSVGElement?.querySelectorAll<SVGGElement>('[data-node]') ?? [];
    [...all].find(({ dataset }) => dataset['node'] === next.item.key)?.focus();
  } else if (event.key === 'Enter' || event.key === ' ') choose(event.shiftKey);
  else if (entityKey === null || !actByKey(event, () => entityTarget(entityKey))) return;
  event.preventDefault();
  event.stopPropagation();
}

/** After IEC 60617: a converter with a battery, a bus, a breaker, a socket, a load. */
function Device({ kind }: { readonly kind: string }) {
  const half = SIZE / 2;
  switch (kind) {
    case 'ups':
      return (
        <>
          <rect className="symbol" x={-half} width={SIZE} height={SIZE} />
          <path className="symbol" d={`M${-half} ${SIZE}L${half} 0M-11 9q3 -5 6 0t6 0M2 22h9M4 26h5`} />
        </>
      );
    case 'pdu':
      return <path className="symbol bus" d={`M${-BUS} ${half}H${BUS}`} />;
    case 'breaker':
      return <path className="symbol" d={`M0 0V10L10 ${SIZE - 8}M0 ${SIZE}V${SIZE - 8}M-4 6l8 8M4 6l-8 8`} />;
    case 'outlet':
      return <path className="symbol" d={`M0 0V10M-12 ${SIZE - 8}a12 14 0 0 1 24 0`} />;
    case 'psu':
      return (
        <>
          <rect className="symbol" x={-half} y={2} width={SIZE} height={SIZE - 4} />
          <path className="symbol" d={`M${-half} ${SIZE - 2}L${half} 2M-11 10q3 -5 6 0t6 0M2 23h9`} />
        </>
      );
    default:
      return <path className="symbol" d={`M${-half} 4H${half}V${SIZE - 4}H${-half}ZM${-half} 16H${half}`} />;
  }
}
