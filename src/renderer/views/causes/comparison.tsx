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
import './comparison.css';

/** The two hypotheses chosen in this incident; null when there are not two. */
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

/** Two hypotheses, line by line: what one has and the other lacks, and by how much they differ. */
export function Comparison({ view, pair, most }: ComparisonProps) {
  const [left, right] = pair;
  const rows = alignEvidence(left.evidence, right.evidence);
  const way = useRef<HTMLButtonElement>(null);
  useEffect(() => way.current?.focus(), []);
  return (
    <section className="comparison" aria-label="Two hypotheses side by side" data-testid="comparison">
      <header>
        <h2>Side by side</h2>
        <span className="muted">what tells them apart most stands first</span>
        <span className="spring" />
        <button type="button" ref={way} title="Back to the causes  Esc" onClick={leaveComparison}>
          Back to the causes
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
              <th scope="col" className="difference" title="Left minus right, in log-odds">
                difference
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
  if (!evidence) return <td className="muted nothing">nothing of the kind</td>;
  return (
    <td>
      <span className={`evidence ${evidence.sign}`}>
        <WeightBar evidence={evidence} most={most} />
        <EvidenceText evidence={evidence} />
      </span>
    </td>
  );
}

/** Towards which side, also without its colour. */
function Difference({ value }: { readonly value: number }) {
  const near = Math.abs(value) < 0.05;
  return (
    <td className="difference number">
      {near ? (
        <span className="muted">0</span>
      ) : (
        <b title={`${formatWeight(value)}: towards the ${value > 0 ? 'left' : 'right'} one`}>
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
      <b>{formatWeight(sum(hypothesis))}</b> <span className="muted">in all: {balanceText(hypothesis)}</span>
    </td>
  );
}

/** The chain from the hypothesis's own event on, where that is a step of it. */
function Chain({ view, hypothesis }: { readonly view: IncidentView; readonly hypothesis: Hypothesis }) {
  const from = view.incident.causal_chain.findIndex(({ event_id }) => event_id === hypothesis.event_id);
  return (
    <td>
      <h3>Chain</h3>
      {hypothesis.event_id === null || from < 0 ? (
        <p className="muted">The chain does not lead through it.</p>
      ) : (
        <ChainList view={view} from={from} />
      )}
    </td>
  );
}
