import type { Evidence } from '../../../model/incident.ts';
import { evidenceWords, formatWeight } from '../../draw/format-record.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select } from '../../state/focus.ts';
import { withActions } from '../../widgets/action-menu.tsx';

const MOST_REFS = 6;

const look = (ref: string): void => {
  select(ref);
  showDetails();
};

const towards = {
  for: 'towards this cause',
  against: 'away from this cause',
  neutral: 'before any evidence',
} as const;

/** How far evidence moves a verdict, from the middle of the bar: to the right for it, to the left against it. */
export function WeightBar({ evidence, most }: { readonly evidence: Evidence; readonly most: number }) {
  const { sign, weight } = evidence;
  const share = Math.min(50, Math.max(1, (Math.abs(weight) / most) * 50));
  return (
    <>
      <span
        className="evidence-weight number"
        title={`${formatWeight(weight)} log-odds (natural logarithm): how far this moves the verdict ${towards[sign]}`}
      >
        {formatWeight(weight)}
      </span>
      <span className={`evidence-bar ${sign}`} aria-hidden="true">
        {weight === 0 ? null : <span style={{ width: `${share}%`, [weight > 0 ? 'left' : 'right']: '50%' }} />}
      </span>
    </>
  );
}

export function EvidenceText({ evidence }: { readonly evidence: Evidence }) {
  const { refs } = evidence;
  const text = evidenceWords(evidence.text);
  const [first, ...others] = refs;
  if (first === undefined) return <span className="evidence-text">{text}</span>;
  return (
    <span className="evidence-text" {...withActions(() => recordTarget(text, [first, ...others]))}>
      <button type="button" className="link evidence-link" onClick={() => look(first)}>
        {text}
      </button>
      {others.length > 0 ? <span className="muted"> also</span> : null}
      {others.slice(0, MOST_REFS).map((ref, at) => (
        <button
          key={ref}
          type="button"
          className="link more-ref mono"
          title={ref}
          aria-label={`record ${at + 2}: ${ref}`}
          onClick={() => look(ref)}
        >
          {at + 2}
        </button>
      ))}
      {others.length > MOST_REFS ? <span className="muted"> and {others.length - MOST_REFS} more</span> : null}
    </span>
  );
}
