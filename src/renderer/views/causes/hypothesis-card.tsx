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
import { messages } from './messages.ts';

export interface HypothesisCardProps {
  readonly incident: string;
  readonly hypothesis: Hypothesis;
  /** Evidence id of its event, if the event is a step of the chain. */
  readonly eventRef: string | null;
  /** Largest weight of all hypotheses, so that bars compare across cards. */
  readonly most: number;
}

/** `voltage sag (pdu.voltage)`; '' for a hypothesis without a subject. */
export const aboutOf = ({ subject, type, metric }: Hypothesis): string =>
  subject === null ? '' : [readableType(type), metric ? `(${metric})` : ''].join(' ').trim();

export const total = ({ evidence }: Hypothesis, sign: Evidence['sign']): number =>
  evidence.filter((each) => each.sign === sign).reduce((sum, each) => sum + Math.abs(each.weight), 0);

/** Prior log-odds: the sum of the neutral evidence. */
export const startOf = ({ evidence }: Hypothesis): number =>
  evidence.filter(({ sign }) => sign === 'neutral').reduce((sum, { weight }) => sum + weight, 0);

/** `prior −9.1, supporting 12.6, contradicting 2.4`: log-odds that add up to the verdict. */
export function balanceText(hypothesis: Hypothesis): string {
  const [towards, away] = [total(hypothesis, 'for'), total(hypothesis, 'against')];
  if (towards + away === 0) return messages.hypothesis.noEvidence;
  const sumText = (sum: number) => (sum === 0 ? '0' : sum.toFixed(sum < 0.1 ? 2 : 1));
  const start = startOf(hypothesis);
  const from = start === 0 ? '' : messages.hypothesis.prior(formatWeight(start));
  return messages.hypothesis.balance(from, sumText(towards), sumText(away));
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
        <span className="balance muted" title={messages.hypothesis.balanceTitle}>
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
      className="plain compare-toggle"
      aria-pressed={pressed}
      title={pressed ? messages.comparison.removeTitle : messages.comparison.addTitle}
      onClick={() => toggleCompared(incident, rank)}
    >
      {pressed
        ? messages.comparison.selected
        : other === undefined
          ? messages.comparison.compare
          : messages.comparison.compareWith(other)}
    </button>
  );
}

/** The prior first, then by weight. */
function EvidenceList({ evidence, most }: { readonly evidence: readonly Evidence[]; readonly most: number }) {
  if (evidence.length === 0) return <p className="muted evidence-none">{messages.hypothesis.noEvidenceRow}</p>;
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
