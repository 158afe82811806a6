import { useState } from 'react';
import type { Evidence, Hypothesis } from '../../../model/incident.ts';
import { spoken } from '../../draw/format-value.ts';
import { showDetails } from '../../state/case-state.ts';
import { select } from '../../state/focus.ts';
import { keyed } from '../../widgets/keyed.ts';
import { LikelihoodBadge } from '../../widgets/likelihood-badge.tsx';
import { subjectOf } from './headline.ts';
import { Judgement, JudgementBadge } from './judgement.tsx';

export interface HypothesisCardProps {
  readonly hypothesis: Hypothesis;
  /** Heaviest evidence of any hypothesis, so that bars compare across cards. */
  readonly most: number;
}

export function HypothesisCard({ hypothesis, most }: HypothesisCardProps) {
  const [open, setOpen] = useState(hypothesis.rank === 1);
  const total = (sign: Evidence['sign']) =>
    hypothesis.evidence.filter((each) => each.sign === sign).reduce((sum, each) => sum + Math.abs(each.weight), 0);
  const general = hypothesis.subject === null;
  const about = general
    ? ''
    : [spoken(hypothesis.type), hypothesis.metric ? `(${hypothesis.metric})` : ''].join(' ').trim();
  return (
    <article className="hypothesis" data-testid="hypothesis">
      <button type="button" className="hypothesis-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="rank">{hypothesis.rank}</span>
        <span className="hypothesis-name">
          <b>{subjectOf(hypothesis)}</b> <span className="muted">{about}</span>
        </span>
        <JudgementBadge hypothesis={hypothesis} />
        <LikelihoodBadge probability={hypothesis.probability} />
        <span className="balance muted" title="Sum of the evidence, in log-odds (natural logarithm)">
          {total('for') + total('against') === 0
            ? 'no evidence either way'
            : `for ${total('for').toFixed(1)}, against ${total('against').toFixed(1)}`}
        </span>
      </button>
      {open ? <EvidenceList hypothesis={hypothesis} most={most} /> : null}
      {open ? <Judgement hypothesis={hypothesis} /> : null}
    </article>
  );
}

function EvidenceList({ hypothesis, most }: HypothesisCardProps) {
  if (hypothesis.evidence.length === 0) return <p className="muted evidence-none">No evidence either way.</p>;
  return (
    <ul className="evidence-list">
      {keyed(hypothesis.evidence).map(({ key, value: evidence }) => (
        <EvidenceRow key={key} evidence={evidence} most={most} />
      ))}
    </ul>
  );
}

const signs = { for: '+', against: '\u2212', neutral: '' } as const;
const MOST_REFS = 6;

const look = (ref: string): void => {
  select(ref);
  showDetails();
};

function EvidenceRow({ evidence, most }: { readonly evidence: Evidence; readonly most: number }) {
  const weight = Math.abs(evidence.weight);
  const [first, ...others] = evidence.refs;
  const shown = evidence.sign === 'neutral' ? '0' : `${signs[evidence.sign]}${weight.toFixed(1)}`;
  return (
    <li className={`evidence ${evidence.sign}`}>
      <span
        className="evidence-weight number"
        title={`${shown} log-odds (natural logarithm): how far this moves the verdict ${evidence.sign === 'neutral' ? 'either way' : evidence.sign === 'for' ? 'towards' : 'away from'} this cause`}
      >
        {shown}
      </span>
      <span className="evidence-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(2, (weight / most) * 100)}%` }} />
      </span>
      <span className="evidence-text">
        {first ? (
          <button type="button" className="link evidence-link" onClick={() => look(first)}>
            {evidence.text}
          </button>
        ) : (
          evidence.text
        )}
        {others.length > 0 ? <span className="muted"> also</span> : null}
        {others.slice(0, MOST_REFS).map((ref, at) => (
          <button
            key={ref}
            type="button"
            className="link more-ref mono"
            title={ref}
            aria-label={`record ${ref}`}
            onClick={() => look(ref)}
          >
            {at + 2}
          </button>
        ))}
        {others.length > MOST_REFS ? <span className="muted"> and {others.length - MOST_REFS} more</span> : null}
      </span>
    </li>
  );
}
