import { type ChainFold, foldChain } from '../../../model/chain-folds.ts';
import type { IncidentView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { arrowStyle } from '../../draw/chain-arrows.ts';
import { formatOffset, formatTime } from '../../draw/format-time.ts';
import { formatProbability, likelihood, spoken } from '../../draw/format-value.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus, zoomTo } from '../../state/focus.ts';
import { spanOf } from '../../state/time-window.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { withActions } from '../../widgets/action-menu.tsx';

type Step = IncidentView['steps'][number];

export interface ChainListProps {
  readonly view: IncidentView;
  /** The step to begin with; 0: the whole chain. */
  readonly from?: number;
}

export function ChainList({ view, from = 0 }: ChainListProps) {
  if (view.steps.length === 0) return <p className="muted">No chain of events leads to this impact.</p>;
  const folds = foldChain(view.steps);
  return (
    <ol className="chain" aria-label="Causal chain, from the cause to the impact">
      {folds.map(({ first, others }, place) => {
        const step = view.steps[first] as Step;
        if (first < from) return null;
        const cause = step.cause === null || step.cause < from ? null : step.cause;
        return (
          <ChainStep
            key={step.ref}
            step={step}
            also={others.map((other) => view.steps[other] as Step)}
            order={place + 1}
            cause={cause === null ? undefined : { step: view.steps[cause] as Step, order: 1 + placeOf(cause, folds) }}
            indirect={view.incident.causal_chain[first]?.indirect_causality ?? false}
          />
        );
      })}
    </ol>
  );
}

const placeOf = (step: number, folds: readonly ChainFold[]): number =>
  folds.findIndex(({ first, others }) => first === step || others.includes(step));

interface Cause {
  readonly step: Step;
  readonly order: number;
}

interface ChainStepProps {
  readonly step: Step;
  /** What says the same of other devices. */
  readonly also: readonly Step[];
  readonly order: number;
  readonly cause: Cause | undefined;
  readonly indirect: boolean;
}

function ChainStep({ step, also, order, cause, indirect }: ChainStepProps) {
  const selected = useFocus((focus) => focus.selected === step.ref);
  const format = useTimeFormat();
  const at = nanos(step.time_ns);
  return (
    <li>
      {cause ? <Link step={step} order={order} cause={cause} indirect={indirect} /> : null}
      <button
        type="button"
        className={`chain-step layer-${step.layer}${selected ? ' selected' : ''}`}
        data-testid="chain-step"
        aria-current={selected ? 'step' : undefined}
        title="click shows the record, double-click zooms to it, right-click or . lists more"
        onClick={() => {
          select(step.ref, at);
          showDetails();
        }}
        {...withActions(() =>
          recordTarget(`${spoken(step.type)} on ${step.device}`, [step.ref, ...also.map(({ ref }) => ref)]),
        )}
        onDoubleClick={() => zoomTo(at, spanOf(useFocus.getState().window) / 4)}
      >
        <span className="badge">{order}</span>
        <span className="step-name">
          <b>{spoken(step.type)}</b>{' '}
          <span className="step-device" title={also.map(({ device }) => device).join(', ')}>
            {step.device}
            {also.length > 0 ? ` and ${also.length} more` : ''}
          </span>
        </span>
        <time className="muted number">{formatTime(at, format)}</time>
        {step.summary && step.summary !== step.type ? <span className="step-summary muted">{step.summary}</span> : null}
      </button>
    </li>
  );
}

interface LinkProps {
  readonly step: Step;
  readonly order: number;
  readonly cause: Cause;
  readonly indirect: boolean;
}

/** Where the cause is not the step above, the link says which it is. */
function Link({ step, order, cause, indirect }: LinkProps) {
  const from = cause.order;
  const style = arrowStyle(step.edge_probability, step.undecided);
  const sure =
    step.edge_probability === null
      ? 'link unknown'
      : `${formatProbability(step.edge_probability)} ${likelihood(step.edge_probability)}`;
  return (
    <div className={`chain-link ${style}`}>
      <span aria-hidden="true" className="link-line" />
      <span className="muted">
        {formatOffset(Number(step.time_ns - cause.step.time_ns), 2)}
        {from === order - 1 ? '' : ` after ${from}`}, {sure}
        {indirect ? ', indirect' : ''}
        {step.undecided ? '; order undecided: the clocks may be off by more than this' : ''}
      </span>
    </div>
  );
}
