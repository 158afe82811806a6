import { useEffect, useRef } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import type { Evidence, Hypothesis } from '../../../model/incident/incident.ts';
import { formatWeight } from '../../draw/text/format-record.ts';
import { leaveComparison, useComparison } from '../../state/comparison.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { alignEvidence } from './align-evidence.ts';
import { ChainList } from './chain-list.tsx';
import { EvidenceText, WeightBar } from './evidence-row.tsx';
import { subjectOf } from './headline-text.ts';
import { aboutOf, balanceText, startOf, total } from './hypothesis-card.tsx';
import { messages } from './messages.ts';
import './comparison.css';

/** The two hypotheses that are selected for comparison; null unless there are two. */
export function useCompared({ incident }: IncidentView): readonly [Hypothesis, Hypothesis] | null {
  const { incident: of, ranks } = useComparison();
  if (of !== incident.id) return null;
  const [one, other] = ranks.map((rank) => incident.hypotheses.find((each) => each.rank === rank));
  return one && other ? [one, other] : null;
}

interface ComparisonProps {
  readonly view: IncidentView;
  readonly pair: readonly [Hypothesis, Hypothesis];
  readonly most: number;
}

/** Two hypotheses compared by their evidence. */
export function Comparison({ view, pair, most }: ComparisonProps) {
  const [left, right] = pair;
  const rows = alignEvidence(left.evidence, right.evidence);
  const way = useRef<HTMLButtonElement>(null);
  useEffect(() => way.current?.focus(), []);
  return (
    <section className="comparison" aria-label={messages.comparison.label} data-testid="comparison">
      <header>
        <h2>{messages.comparison.title}</h2>
        <span className="muted">{messages.comparison.order}</span>
        <span className="spring" />
        <button type="button" ref={way} title={messages.comparison.backTitle} onClick={leaveComparison}>
          {messages.comparison.back}
        </button>
      </header>
      <div className="comparison-scroll">
        <table>
          <colgroup>
            <col />
            <col className="difference" />
            <col />
          </colgroup>
          <thead>
            <tr>
              <HypothesisHead hypothesis={left} />
              <th scope="col" className="difference" title={messages.comparison.differenceTitle}>
                {messages.comparison.difference}
              </th>
              <HypothesisHead hypothesis={right} />
            </tr>
          </thead>
          <tbody>
            {keyed(rows).map(({ key, value: row }) => (
              <tr key={key} data-testid="compared">
                <Side evidence={row.left} most={most} />
                <Difference value={row.difference} />
                <Side evidence={row.right} most={most} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <Totals hypothesis={left} />
              <Difference value={sum(left) - sum(right)} />
              <Totals hypothesis={right} />
            </tr>
            <tr className="chains">
              <Chain view={view} hypothesis={left} />
              <td />
              <Chain view={view} hypothesis={right} />
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

const sum = (hypothesis: Hypothesis): number =>
  startOf(hypothesis) + total(hypothesis, 'for') - total(hypothesis, 'against');

function HypothesisHead({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  return (
    <th scope="col">
      <span className="compared-head">
        <span className="rank">{hypothesis.rank}</span>
        <span className="hypothesis-name">
          <b>{subjectOf(hypothesis)}</b> <span className="muted">{aboutOf(hypothesis)}</span>
        </span>
        <LikelihoodBadge probability={hypothesis.probability} />
      </span>
    </th>
  );
}

function Side({ evidence, most }: { readonly evidence: Evidence | null; readonly most: number }) {
  if (!evidence) return <td className="muted nothing">{messages.comparison.none}</td>;
  return (
    <td>
      <span className={`evidence ${evidence.sign}`}>
        <WeightBar evidence={evidence} most={most} />
        <EvidenceText evidence={evidence} />
      </span>
    </td>
  );
}

/** Shows the favoured side without relying on colour. */
function Difference({ value }: { readonly value: number }) {
  const near = Math.abs(value) < 0.05;
  return (
    <td className="difference number">
      {near ? (
        <span className="muted">0</span>
      ) : (
        <b title={messages.comparison.towards(formatWeight(value), value > 0)}>
          {value > 0 ? '◂ ' : ''}
          {Math.abs(value).toFixed(1)}
          {value < 0 ? ' ▸' : ''}
        </b>
      )}
    </td>
  );
}

function Totals({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  return (
    <td>
      <b>{formatWeight(sum(hypothesis))}</b>{' '}
      <span className="muted">{messages.comparison.total(balanceText(hypothesis))}</span>
    </td>
  );
}

/** The chain from the event of the hypothesis on, if the event is a step of the chain. */
function Chain({ view, hypothesis }: { readonly view: IncidentView; readonly hypothesis: Hypothesis }) {
  const from = view.incident.causal_chain.findIndex(({ event_id }) => event_id === hypothesis.event_id);
  return (
    <td>
      <h3>{messages.chain.title}</h3>
      {hypothesis.event_id === null || from < 0 ? (
        <p className="muted">{messages.comparison.notInChain}</p>
      ) : (
        <ChainList view={view} from={from} />
      )}
    </td>
  );
}
