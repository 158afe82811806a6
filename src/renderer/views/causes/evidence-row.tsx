import type { Evidence } from '../../../model/incident/incident.ts';
import { formatWeight, readableTypes } from '../../draw/text/format-record.ts';
import { recordTarget } from '../../state/actions.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { RecordLinks } from '../../widgets/record-links.tsx';
import { messages } from './messages.ts';

const towards = {
  for: messages.evidence.for,
  against: messages.evidence.against,
  neutral: messages.evidence.prior,
} as const;

/** Weight as a bar from the middle: to the right for the hypothesis, to the left against it. */
export function WeightBar({ evidence, most }: { readonly evidence: Evidence; readonly most: number }) {
  const { sign, weight } = evidence;
  const share = Math.min(50, Math.max(1, (Math.abs(weight) / most) * 50));
  return (
    <>
      <span
        className="evidence-weight number"
        title={messages.evidence.weightTitle(formatWeight(weight), towards[sign])}
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
  const text = readableTypes(evidence.text);
  const [first, ...others] = refs;
  if (first === undefined) return <span className="evidence-text">{text}</span>;
  return (
    <span className="evidence-text" {...withActions(() => recordTarget(text, [first, ...others]))}>
      <RecordLinks text={text} refs={[first, ...others]} />
    </span>
  );
}
