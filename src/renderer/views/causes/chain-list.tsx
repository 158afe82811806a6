import { useEffect, useState } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { foldChain, shortList, stepNumbers } from '../../../model/incident/chain-folds.ts';
import { nanos } from '../../../model/time.ts';
import { formatDate, formatOffset, formatTime } from '../../draw/text/format-time.ts';
import { formatProbability, likelihood, readableType } from '../../draw/text/format-value.ts';
import { arrowStyle } from '../../draw/timeline/chain-arrows.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus, zoomTo } from '../../state/focus.ts';
import { spanOf } from '../../state/time-window.ts';
import { type CaseTimeFormat, useTimeFormat } from '../../state/use-time-format.ts';
import { withActions } from '../../widgets/action-menu.tsx';

type Step = IncidentView['steps'][number];

export interface ChainListProps {
  readonly view: IncidentView;
  /** The step to begin with; 0: the whole chain. */
  readonly from?: number;
}

export function ChainList({ view, from = 0 }: ChainListProps) {
  if (view.steps.length === 0) return <p className="muted">No chain of events leads to this impact.</p>;
  const shown = ledTo(view.steps, from);
  const folds = foldChain(view.steps).flatMap((fold) => {
    const [first, ...others] = [fold.first, ...fold.others].filter((at) => shown.has(at));
    return first === undefined ? [] : [{ first, others }];
  });
  return (
    <ol className="chain" aria-label="Causal chain, from the cause to the impact">
      {folds.map(({ first, others }, place) => (
        <li key={view.steps[first]?.ref}>
          <ChainStep view={view} shown={shown} at={first} above={folds[place - 1]?.first ?? null} />
          {others.length > 0 ? <Others view={view} shown={shown} others={others} /> : null}
        </li>
      ))}
    </ol>
  );
}

/** Places of a step, of what it led to, and of the impact; the first step begins what no other is known to have led to as well. */
function ledTo(steps: readonly Step[], from: number): ReadonlySet<number> {
  const places = new Set([from]);
  steps.forEach(({ cause }, at) => {
    if (cause === null ? from === 0 : places.has(cause)) places.add(at);
  });
  return places.add(steps.length - 1);
}

interface OthersProps {
  readonly view: IncidentView;
  readonly shown: ReadonlySet<number>;
  /** Places of the steps that say the same as the one above. */
  readonly others: readonly number[];
}

/** What says the same of other devices, out of the way until it is wanted, or one of it is selected. */
function Others({ view, shown, others }: OthersProps) {
  const [open, setOpen] = useState(false);
  const steps = others.map((at) => view.steps[at]!);
  const refs = steps.map(({ ref }) => ref);
  const selected = useFocus((focus) => focus.selected !== null && refs.includes(focus.selected));
  useEffect(() => {
    if (selected) setOpen(true);
  }, [selected]);
  const [{ type, ref }] = steps as [Step];
  const devices = [...new Set(steps.map(({ device }) => device))];
  return (
    <details className="chain-fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className="muted"
        data-testid="chain-fold"
        title={devices.join(', ')}
        {...withActions(() => recordTarget(`${refs.length} more ${readableType(type)}`, [ref, ...refs.slice(1)]))}
      >
        and {refs.length} more: {shortList(devices)} ({stepNumbers(others)})
      </summary>
      {open ? (
        <ol>
          {others.map((at, place) => (
            <li key={view.steps[at]?.ref}>
              <ChainStep view={view} shown={shown} at={at} above={others[place - 1] ?? null} />
            </li>
          ))}
        </ol>
      ) : null}
    </details>
  );
}

interface ChainStepProps {
  readonly view: IncidentView;
  /** Places of all that are listed: to these alone an arrow is told. */
  readonly shown: ReadonlySet<number>;
  readonly at: number;
  /** Place of the step that stands above it. */
  readonly above: number | null;
}

function ChainStep({ view, shown, at: place, above }: ChainStepProps) {
  const step = view.steps[place]!;
  const selected = useFocus((focus) => focus.selected === step.ref);
  const format = useTimeFormat();
  const at = nanos(step.time_ns);
  const cause = step.cause !== null && shown.has(step.cause) ? step.cause : null;
  const isIndirect = view.incident.causal_chain[place]?.indirect_causality ?? false;
  return (
    <>
      {cause === null ? null : (
        <Link
          step={step}
          cause={view.steps[cause]!}
          isIndirect={isIndirect}
          after={cause === above ? null : cause + 1}
        />
      )}
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
        {...withActions(() => recordTarget(`${readableType(step.type)} on ${step.device}`, [step.ref]))}
        onDoubleClick={() => zoomTo(at, spanOf(useFocus.getState().window) / 4)}
      >
        <span className="badge">{place + 1}</span>
        <span className="step-name">
          <b>{readableType(step.type)}</b> <span className="step-device">{step.device}</span>
        </span>
        <time className="muted number">
          {isNewDay(view.steps, place, above, format) ? (
            <span className="chain-day">{formatDate(at, format)} </span>
          ) : null}
          {formatTime(at, format)}
        </time>
        {step.summary && step.summary !== step.type ? <span className="step-summary muted">{step.summary}</span> : null}
      </button>
    </>
  );
}

/** In a case of several days, the step that stands first on its day bears the date. */
function isNewDay(steps: readonly Step[], at: number, above: number | null, format: CaseTimeFormat): boolean {
  const day = (place: number): string => formatDate(nanos(steps[place]!.time_ns), format);
  return format.dated && (above === null || day(above) !== day(at));
}

interface LinkProps {
  readonly step: Step;
  readonly cause: Step;
  readonly isIndirect: boolean;
  /** Number of the cause where it is not the step above. */
  readonly after: number | null;
}

/** Where the cause is not the step above, the link says which it is. */
function Link({ step, cause, isIndirect, after }: LinkProps) {
  const style = arrowStyle(step.edge_probability, step.undecided);
  const sure =
    step.edge_probability === null
      ? 'no known mechanism'
      : `${formatProbability(step.edge_probability)} ${likelihood(step.edge_probability)}`;
  return (
    <div className={`chain-link ${style}`}>
      <span aria-hidden="true" className="link-line" />
      <span className="muted">
        {formatOffset(Number(step.time_ns - cause.time_ns), 2)}
        {after === null ? '' : ` after ${after}`}, {sure}
        {isIndirect ? ', indirect' : ''}
        {step.undecided ? '; order undecided: the clocks may be off by more than this' : ''}
      </span>
    </div>
  );
}
