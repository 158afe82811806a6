import { memo } from 'react';
import type { ProposedEdge, Topology, TopologyNode } from '../../../model/contract/index.ts';
import { verdicts } from '../../../model/incident/proposal.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { annotate } from '../../state/annotations.ts';
import { selectEntity } from '../../state/focus.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { keyed } from '../../widgets/keyed.ts';
import type { Places } from './annotation-marks.tsx';
import { judged, linkText, nameIn } from './edit-links.ts';
import { linkPath } from './link-mark.tsx';
import { nodeName } from './map-model.ts';
import { messages } from './messages.ts';
import { NODE_HEIGHT, NODE_WIDTH } from './power-layout.ts';

const MOST_LISTED = 100;
/** Maximum number of annotations in one change of a case. */
const MOST_AT_ONCE = 5000;

/** Links between two devices that live feeds found; a link counts when it is accepted. */
export function Proposals({ topology }: { readonly topology: Topology }) {
  const { proposed } = topology;
  if (proposed.length === 0) return null;
  const bySource = Map.groupBy(proposed, ({ sources }) => sources.join(', '));
  return (
    <details className="doubts proposals" data-testid="proposals">
      <summary>
        <span aria-hidden="true">?</span> {messages.proposals.summary(countText(proposed.length))}
      </summary>
      <div className="proposal-sources">
        {[...bySource].map(([source, edges]) => (
          <Source key={source} source={source} edges={edges} topology={topology} />
        ))}
      </div>
    </details>
  );
}

const countText = (count: number): string => messages.proposals.count(count);

interface SourceProps {
  readonly source: string;
  readonly edges: readonly ProposedEdge[];
  readonly topology: Topology;
}

function Source({ source, edges, topology }: SourceProps) {
  const format = useTimeFormat();
  const judge = (change: 'add' | 'remove') => {
    const some = edges.slice(0, MOST_AT_ONCE);
    const does = messages.proposals.judged(countText(some.length), source, verdicts[change]);
    void annotate(does, { put: some.map((edge) => judged(change, edge, topology)) });
  };
  const since = edges.reduce(
    (least, { reported_ns }) => (reported_ns < least ? reported_ns : least),
    edges[0]?.reported_ns ?? 0n,
  );
  return (
    <section aria-label={messages.proposals.from(source)}>
      <div className="button-row">
        <strong className="ellipsis">{source}</strong>
        <span className="muted number" title={formatUtc(nanos(since))}>
          {messages.proposals.since(formatInstant(nanos(since), format, 0))}
        </span>
        <button type="button" onClick={() => judge('add')}>
          {messages.proposals.acceptAll(edges.length)}
        </button>
        <button type="button" className="plain" onClick={() => judge('remove')}>
          {messages.proposals.rejectAll}
        </button>
      </div>
      <ul className="link-list proposed-list">
        {keyed(edges.slice(0, MOST_LISTED)).map(({ key, value }) => (
          <ProposalRow key={key} edge={value} topology={topology} />
        ))}
        {edges.length > MOST_LISTED ? (
          <li className="muted">{messages.proposals.more(edges.length - MOST_LISTED)}</li>
        ) : null}
      </ul>
    </section>
  );
}

/** Proposals of one entity, next to its links. */
export function ProposedOf({ topology, entityKey }: { readonly topology: Topology; readonly entityKey: string }) {
  const at = topology.nodes.findIndex(({ key }) => key === entityKey);
  const own = topology.proposed.filter(({ from, to }) => from === at || to === at);
  if (own.length === 0) return null;
  return (
    <ul className="link-list proposed-list" aria-label={messages.proposals.of(nameIn(topology, entityKey))}>
      {keyed(own.slice(0, MOST_LISTED)).map(({ key, value }) => (
        <ProposalRow key={key} edge={value} topology={topology} />
      ))}
    </ul>
  );
}

function ProposalRow({ edge, topology }: { readonly edge: ProposedEdge; readonly topology: Topology }) {
  const words = linkText(edge, topology);
  const judge = (change: 'add' | 'remove') =>
    void annotate(`${words} ${verdicts[change]}`, { put: [judged(change, edge, topology)] });
  const select = ({ key }: TopologyNode) => selectEntity(key);
  const [from, to] = [topology.nodes[edge.from], topology.nodes[edge.to]];
  return (
    <li>
      <button type="button" className="link ellipsis" onClick={() => from && select(from)}>
        {from && nodeName(from)}
      </button>
      <span className="muted">{edge.kind.replace('_', ' ')}</span>
      <button type="button" className="link ellipsis" onClick={() => to && select(to)}>
        {to && nodeName(to)}
      </button>
      <span className="muted ellipsis">{edge.provenance.join(', ')}</span>
      <span className="button-group">
        <button
          type="button"
          className="plain"
          aria-label={messages.proposals.acceptOne(words)}
          onClick={() => judge('add')}
        >
          {messages.proposals.accept}
        </button>
        <button
          type="button"
          className="plain"
          aria-label={messages.proposals.rejectOne(words)}
          onClick={() => judge('remove')}
        >
          {messages.proposals.reject}
        </button>
      </span>
    </li>
  );
}

export interface ProposedProps {
  readonly topology: Topology;
  readonly places: Places;
}

/** On the map: dotted, with a question mark; links of a stack are drawn once. */
export const Proposed = memo(function Proposed({ topology, places }: ProposedProps) {
  const drawn = new Map<string, { readonly d: string; readonly x: number; readonly y: number; words: string[] }>();
  for (const edge of topology.proposed) {
    const [one, other] = [edge.from, edge.to].map((at) => places.nodeRectOf(topology.nodes[at]?.key ?? ''));
    if (!one || !other || one === other) continue;
    // Harm travels from the machine to what runs on it.
    const [from, to] = edge.kind === 'runs_on' ? [other, one] : [one, other];
    const key = `${from.item.key}\n${to.item.key}`;
    const [x, y] = [(from.x + to.x + NODE_WIDTH) / 2, (from.y + to.y + NODE_HEIGHT) / 2];
    const mark = drawn.get(key) ?? { d: linkPath(from, to), x, y, words: [] };
    mark.words.push(
      messages.proposals.line(linkText(edge, topology), edge.sources.join(', '), edge.provenance.join(', ')),
    );
    drawn.set(key, mark);
  }
  return [...drawn].map(([key, { d, x, y, words }]) => (
    <g key={key} className="proposed-link">
      <title>{messages.proposals.title(words.slice(0, 8).join('\n'))}</title>
      <path d={d} />
      <circle cx={x} cy={y} r={7} />
      <text className="proposal-mark" x={x} y={y + 4}>
        ?
      </text>
    </g>
  ));
});
