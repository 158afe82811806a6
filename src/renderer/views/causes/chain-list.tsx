import { useEffect, useState } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { deviceName, foldChain, shortList, stepNumbers } from '../../../model/incident/chain-folds.ts';
import { contradictionText } from '../../../model/incident/contradicted-reading.ts';
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
import { messages } from './messages.ts';

type Step = IncidentView['steps'][number];

export interface ChainListProps {
  readonly view: IncidentView;
  /** The first step to show; 0: the whole chain. */
  readonly from?: number;
}

export function ChainList({ view, from = 0 }: ChainListProps) {
  if (view.steps.length === 0) return <p className="muted">{messages.chain.none}</p>;
  const shown = effectsOf(view.steps, from);
  const folds = foldChain(view.steps).flatMap((fold) => {
    const [first, ...others] = [fold.first, ...fold.others].filter((at) => shown.has(at));
    return first === undefined ? [] : [{ first, others }];
  });
  return (
    <ol className="chain" aria-label={messages.chain.label}>
      {folds.map(({ first, others }, place) => (
        <li key={view.steps[first]?.ref}>
          <ChainStep view={view} shown={shown} at={first} above={folds[place - 1]?.first ?? null} />
          {others.length > 0 ? <Others view={view} shown={shown} others={others} /> : null}
        </li>
      ))}
    </ol>
  );
}

/** Indexes of a step, of its effects and of the impact. The first step also leads to the steps without a known cause. */
function effectsOf(steps: readonly Step[], from: number): ReadonlySet<number> {
  const places = new Set([from]);
  steps.forEach(({ cause }, at) => {
    if (cause === null ? from === 0 : places.has(cause)) places.add(at);
  });
  return places.add(steps.length - 1);
}

interface OthersProps {
  readonly view: IncidentView;
  readonly shown: ReadonlySet<number>;
  /** Indexes of the steps that match the one above on other devices. */
  readonly others: readonly number[];
}

/** The same event on other devices: collapsed until the investigator opens it or selects one of them. */
function Others({ view, shown, others }: OthersProps) {
  const [open, setOpen] = useState(false);
  const steps = others.map((at) => view.steps[at]!);
  const refs = steps.map(({ ref }) => ref);
  const selected = useFocus((focus) => focus.selected !== null && refs.includes(focus.selected));
  useEffect(() => {
    if (selected) setOpen(true);
  }, [selected]);
  const [{ type, ref }] = steps as [Step];
  const devices = [...new Set(steps.map(deviceName))];
  return (
    <details className="chain-fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className="muted"
        data-testid="chain-fold"
        title={devices.join(', ')}
        {...withActions(() =>
          recordTarget(messages.chain.moreOf(refs.length, readableType(type)), [ref, ...refs.slice(1)]),
        )}
      >
        {messages.chain.fold(refs.length, shortList(devices), stepNumbers(others))}
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
  /** Indexes of all listed steps; arrows go to these only. */
  readonly shown: ReadonlySet<number>;
  readonly at: number;
  /** Index of the step above. */
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
          number={cause + 1}
          isAbove={cause === above}
        />
      )}
      <button
        type="button"
        className={`chain-step layer-${step.layer}${selected ? ' selected' : ''}`}
        data-testid="chain-step"
        aria-current={selected ? 'step' : undefined}
        title={messages.chain.stepHint}
        onClick={() => {
          select(step.ref, at);
          showDetails();
        }}
        {...withActions(() => recordTarget(messages.on(readableType(step.type), deviceName(step)), [step.ref]))}
        onDoubleClick={() => zoomTo(at, spanOf(useFocus.getState().window) / 4)}
      >
        <span className="badge">{place + 1}</span>
        <span className="step-name">
          <b>{readableType(step.type)}</b>{' '}
          <span className="step-device" title={step.name === undefined ? undefined : step.device}>
            {deviceName(step)}
          </span>
        </span>
        <time className="muted number">
          {isNewDay(view.steps, place, above, format) ? (
            <span className="chain-day">{formatDate(at, format)} </span>
          ) : null}
          {formatTime(at, format)}
        </time>
        {step.summary && step.summary !== step.type ? <span className="step-summary muted">{step.summary}</span> : null}
        {step.contradiction === null ? null : (
          <span className="step-summary caution">
            {messages.contradicted}
            {contradictionText(step.contradiction)}
          </span>
        )}
      </button>
    </>
  );
}

/** In a case of several days, the first step of each day shows the date. */
function isNewDay(steps: readonly Step[], at: number, above: number | null, format: CaseTimeFormat): boolean {
  const day = (place: number): string => formatDate(nanos(steps[place]!.time_ns), format);
  return format.dated && (above === null || day(above) !== day(at));
}

interface LinkProps {
  readonly step: Step;
  readonly cause: Step;
  readonly isIndirect: boolean;
  /** Number of the cause. */
  readonly number: number;
  /** The cause is the step above. */
  readonly isAbove: boolean;
}

/** Names the cause if it is not the step above, or was recorded later than its effect. */
function Link({ step, cause, isIndirect, number, isAbove }: LinkProps) {
  const style = arrowStyle(step.edge_probability, step.undecided);
  const sure =
    step.edge_probability === null
      ? messages.chain.noMechanism
      : `${formatProbability(step.edge_probability)} ${likelihood(step.edge_probability)}`;
  const lag = Number(step.time_ns - cause.time_ns);
  const isAhead = lag < 0;
  const delay = isAhead
    ? messages.chain.ahead(formatOffset(-lag, 2).slice(1), number)
    : `${formatOffset(lag, 2)}${isAbove ? '' : messages.chain.after(number)}`;
  return (
    <div className={`chain-link ${style}`}>
      <span aria-hidden="true" className="link-line" />
      <span className="muted" title={isAhead ? messages.chain.aheadHint : undefined}>
        {delay}, {sure}
        {isIndirect ? messages.chain.indirect : ''}
        {step.undecided ? messages.chain.orderUndecided : ''}
      </span>
    </div>
  );
}
