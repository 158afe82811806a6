import { useState } from 'react';
import type { Evidence, Hypothesis } from '../../../model/incident/incident.ts';
import { formatWeight } from '../../draw/text/format-record.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { hypothesisTarget } from '../../state/actions.ts';
import { toggleCompared, useComparison } from '../../state/comparison.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { keyed } from '../../widgets/keyed.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { EvidenceText, WeightBar } from './evidence-row.tsx';
import { subjectOf } from './headline-text.ts';
import { Judgement, JudgementBadge } from './judgement.tsx';

export interface HypothesisCardProps {
  readonly incident: string;
  readonly hypothesis: Hypothesis;
  /** Evidence id of its event, where a step of the chain tells it. */
  readonly eventRef: string | null;
  /** Heaviest evidence of any hypothesis, so that bars compare across cards. */
  readonly most: number;
}

/** `voltage sag (pdu.voltage)`; '' for those that blame nothing in particular. */
export const aboutOf = ({ subject, type, metric }: Hypothesis): string =>
  subject === null ? '' : [readableType(type), metric ? `(${metric})` : ''].join(' ').trim();

export const total = ({ evidence }: Hypothesis, sign: Evidence['sign']): number =>
  evidence.filter((each) => each.sign === sign).reduce((sum, each) => sum + Math.abs(each.weight), 0);

/** Where it starts before any evidence: what stands in its lines but is neither for nor against it. */
export const startOf = ({ evidence }: Hypothesis): number =>
  evidence.filter(({ sign }) => sign === 'neutral').reduce((sum, { weight }) => sum + weight, 0);

/** `starts at −9.1, for 12.6, against 2.4`: log-odds that add up to the verdict; what is nothing is said to be nothing. */
export function balanceText(hypothesis: Hypothesis): string {
  const [towards, away] = [total(hypothesis, 'for'), total(hypothesis, 'against')];
  if (towards + away === 0) return 'no evidence either way';
  const sumText = (sum: number) => (sum === 0 ? 'nothing' : sum.toFixed(sum < 0.1 ? 2 : 1));
  const start = startOf(hypothesis);
  const from = start === 0 ? '' : `starts at ${formatWeight(start)}, `;
  return `${from}for ${sumText(towards)}, ${away === 0 ? 'nothing against' : `against ${sumText(away)}`}`;
}

export function HypothesisCard({ incident, hypothesis, eventRef, most }: HypothesisCardProps) {
  const [open, setOpen] = useState(hypothesis.rank === 1);
  return (
    <article
      className="hypothesis"
      data-testid="hypothesis"
      {...withActions(() => hypothesisTarget(hypothesis, incident, eventRef))}
    >
      <button type="button" className="hypothesis-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="rank">{hypothesis.rank}</span>
        <span className="hypothesis-name">
          <b>{subjectOf(hypothesis)}</b> <span className="muted">{aboutOf(hypothesis)}</span>
        </span>
        <JudgementBadge hypothesis={hypothesis} />
        <LikelihoodBadge probability={hypothesis.probability} />
        <span className="balance muted" title="Sum of the evidence, in log-odds (natural logarithm)">
          {balanceText(hypothesis)}
        </span>
      </button>
      <CompareToggle incident={incident} rank={hypothesis.rank} />
      {open ? <EvidenceList evidence={hypothesis.evidence} most={most} /> : null}
      {open ? <Judgement hypothesis={hypothesis} /> : null}
    </article>
  );
}

function CompareToggle({ incident, rank }: { readonly incident: string; readonly rank: number }) {
  const comparedRanks = useComparison((state) => (state.incident === incident ? state.ranks : null));
  const pressed = comparedRanks?.includes(rank) ?? false;
  const other = comparedRanks?.find((each) => each !== rank);
  return (
    <button
      type="button"
      className={`plain compare-toggle${other === undefined ? '' : ' wanted'}`}
      aria-pressed={pressed}
      title={pressed ? 'Do not compare it  V' : 'Side by side with another hypothesis  V'}
      onClick={() => toggleCompared(incident, rank)}
    >
      {pressed ? 'chosen' : other === undefined ? 'compare' : `compare with ${other}`}
    </button>
  );
}

/** Where it starts, then the heaviest first: what a tired reader must not miss. */
function EvidenceList({ evidence, most }: { readonly evidence: readonly Evidence[]; readonly most: number }) {
  if (evidence.length === 0) return <p className="muted evidence-none">No evidence either way.</p>;
  const isStart = ({ sign, weight }: Evidence): boolean => sign === 'neutral' && weight !== 0;
  const sorted = [...evidence].sort(
    (a, b) => Number(isStart(b)) - Number(isStart(a)) || Math.abs(b.weight) - Math.abs(a.weight),
  );
  return (
    <ul className="evidence-list">
      {keyed(sorted).map(({ key, value }) => (
        <li className={`evidence ${value.sign}`} key={key}>
          <WeightBar evidence={value} most={most} />
          <EvidenceText evidence={value} />
        </li>
      ))}
    </ul>
  );
}
