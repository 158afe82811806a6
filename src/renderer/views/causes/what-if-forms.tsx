import { type FormEvent, memo, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { IncidentView, Output } from '../../../model/contract/index.ts';
import { layers } from '../../../model/entity.ts';
import { deviceName } from '../../../model/incident/chain-folds.ts';
import { nanos } from '../../../model/time.ts';
import { hypothesisText } from '../../draw/text/format-record.ts';
import { parseShift, shiftText } from '../../draw/text/format-shift.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { useInfo } from '../../state/known.ts';
import { useCall } from '../../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { type Draft, suppose, useWhatIf } from '../../state/what-if.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';
import { restoreFocus } from './restore-focus.ts';

interface DraftFormProps {
  readonly draft: Draft;
  readonly view: IncidentView;
}

/** Takes the focus when it opens. */
export function DraftForm({ draft, view }: DraftFormProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const within = (selector: string) => place.current?.querySelector<HTMLElement>(selector);
    (within('[data-first]') ?? within('select, input, button:not(:disabled)'))?.focus();
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div className="draft" ref={place}>
      {draft.kind === 'layer' ? <LayerForm /> : null}
      {draft.kind === 'events' ? <EventForm view={view} /> : null}
      {draft.kind === 'clock' ? <ClockForm source={draft.source} /> : null}
      {draft.kind === 'feed' ? <FeedForm /> : null}
    </div>
  );
}

interface FormProps {
  readonly label: string;
  readonly children: ReactNode;
  readonly ready: boolean;
  readonly onSubmit: () => void;
}

/** Enter in any field applies the change; the panel handles Escape. */
function Form({ label, children, ready, onSubmit }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    onSubmit();
    restoreFocus();
  };
  return (
    <form className="draft-form" aria-label={label} onSubmit={submit}>
      {children}
      <button type="submit" className="primary" disabled={!ready}>
        {messages.whatIf.apply}
      </button>
    </form>
  );
}

function LayerForm() {
  const missing = useInfo()?.layers_missing ?? [];
  const applied = useWhatIf((state) => state.applied);
  return (
    <fieldset className="layer-choices" aria-label={messages.whatIf.layerLabel}>
      <legend className="muted">{messages.whatIf.ignoreLayer}</legend>
      {layers.map((layer) => {
        const gone = missing.includes(layer);
        const already = applied.some((one) => one.kind === 'layer' && one.layer === layer);
        return (
          <button
            key={layer}
            type="button"
            className={`layer-choice layer-${layer}`}
            disabled={gone || already}
            title={
              gone
                ? messages.whatIf.layerMissing
                : already
                  ? messages.whatIf.layerApplied
                  : messages.whatIf.layerTitle(layer)
            }
            onClick={() => {
              suppose({ kind: 'layer', layer });
              restoreFocus();
            }}
          >
            {layer === 'gpu' ? messages.whatIf.gpu : layer}
          </button>
        );
      })}
    </fieldset>
  );
}

interface EventChoice {
  readonly id: string;
  readonly label: string;
  readonly when: string;
}

/** Events of the chain, then events of other hypotheses. */
function eventChoices(view: IncidentView, format: CaseTimeFormat): readonly EventChoice[] {
  const steps = view.steps
    .filter(({ ref }) => ref.startsWith('event:'))
    .map(({ ref, type, device, name, time_ns }) => ({
      id: ref,
      label: messages.on(readableType(type), deviceName({ name, device })),
      when: formatInstant(nanos(time_ns), format),
    }));
  const known = new Set(steps.map(({ label }) => label));
  const others = view.incident.hypotheses.flatMap((hypothesis) => {
    const label = hypothesisText(hypothesis);
    return hypothesis.event_id === null || known.has(label) ? [] : [{ id: hypothesis.event_id, label, when: '' }];
  });
  return [...steps, ...others];
}

function EventForm({ view }: { readonly view: IncidentView }) {
  const choices = eventChoices(view, useTimeFormat());
  const [id, setId] = useState(choices[0]?.id ?? '');
  const selected = choices.find((each) => each.id === id);
  if (choices.length === 0) return <p className="muted">{messages.whatIf.noEvents}</p>;
  return (
    <Form
      label={messages.whatIf.eventLabel}
      ready={selected !== undefined}
      onSubmit={() => selected && suppose({ kind: 'events', ids: [selected.id], label: selected.label })}
    >
      <label>
        <span>{messages.whatIf.ignoreEvent}</span>
        <select value={id} onChange={(event) => setId(event.target.value)}>
          {choices.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
              {each.when === '' ? '' : `, ${each.when}`}
            </option>
          ))}
        </select>
      </label>
      <p className="muted">{messages.whatIf.otherEvent}</p>
    </Form>
  );
}

/** If two data sources share a name, the form sends the number instead. */
function ClockForm({ source }: { readonly source: string | undefined }) {
  const sources = (useInfo()?.sources ?? []).filter(({ rows }) => (rows.event ?? 0) > 0);
  const [id, setId] = useState(source ?? String(sources[0]?.source_id ?? ''));
  const [shift, setShift] = useState('');
  const seconds = parseShift(shift);
  const chosen = sources.find(({ source_id }) => String(source_id) === id);
  if (sources.length === 0) return <p className="muted">{messages.whatIf.noClocks}</p>;
  return (
    <Form
      label={messages.whatIf.clockLabel}
      ready={seconds !== null && chosen !== undefined}
      onSubmit={() => seconds !== null && chosen && suppose({ kind: 'clock', source: id, name: chosen.name, seconds })}
    >
      <label>
        <span>{messages.whatIf.clockOf}</span>
        <select value={id} onChange={(event) => setId(event.target.value)}>
          {sources.map(({ source_id, name }) => (
            <option key={source_id} value={source_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{messages.whatIf.shiftBy}</span>
        <input
          data-first={source === undefined ? undefined : ''}
          value={shift}
          placeholder={messages.whatIf.shiftPlaceholder}
          spellCheck={false}
          aria-describedby="shift-means"
          onChange={(event) => setShift(event.target.value)}
        />
      </label>
      <p className="muted" id="shift-means">
        {seconds === null
          ? shift.trim() === ''
            ? messages.whatIf.shiftHint
            : messages.whatIf.shiftInvalid
          : messages.whatIf.shifted(shiftText(seconds))}
      </p>
    </Form>
  );
}

type Feed = Output<'feeds.list'>[number];

function FeedForm() {
  const { value, problem, slow, retry } = useCall('feeds.list', {});
  if (problem) return <ProblemNote problem={problem} what={messages.whatIf.feeds} onRetry={retry} />;
  if (!value) return slow ? <Progress label={messages.whatIf.feedsLoading} /> : null;
  if (value.length === 0) return <p className="muted">{messages.whatIf.noFeeds}</p>;
  return <MoveFeed feeds={value} />;
}

const NO_SUPPLY = '';

function MoveFeed({ feeds }: { readonly feeds: readonly Feed[] }) {
  const lists = useId();
  const [to, setTo] = useState('');
  const [from, setFrom] = useState('');
  const [insteadOf, setInsteadOf] = useState(NO_SUPPLY);
  const fed = useMemo(() => [...new Set(feeds.map((feed) => feed.fed))], [feeds]);
  const supplies = useMemo(() => [...new Set(feeds.map((feed) => feed.supply))], [feeds]);
  const now = feeds.filter((feed) => feed.fed === to).map((feed) => feed.supply);
  const nothing = from.trim() === '';
  const ready = to.trim() !== '' && (!nothing || now.length > 0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Form
      label={messages.whatIf.feedLabel}
      ready={ready}
      onSubmit={() =>
        suppose({
          kind: 'feed',
          to: to.trim(),
          from: nothing ? null : from.trim(),
          insteadOf: insteadOf === NO_SUPPLY ? null : insteadOf,
        })
      }
    >
      <label>
        <span>{messages.whatIf.entity}</span>
        <input
          ref={field}
          list={`${lists}fed`}
          value={to}
          spellCheck={false}
          placeholder={messages.whatIf.entityPlaceholder}
          onChange={(event) => setTo(event.target.value)}
        />
      </label>
      <label>
        <span>{messages.whatIf.fedBy}</span>
        <input
          list={`${lists}feeders`}
          value={from}
          spellCheck={false}
          placeholder={messages.whatIf.noSupply}
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <label>
        <span>{messages.whatIf.insteadOf}</span>
        <select value={insteadOf} onChange={(event) => setInsteadOf(event.target.value)}>
          <option value={NO_SUPPLY}>
            {now.length > 1 ? messages.whatIf.allSupplies(now.length) : messages.whatIf.currentSupply}
          </option>
          {now.map((supply) => (
            <option key={supply}>{supply}</option>
          ))}
        </select>
      </label>
      <Names id={`${lists}fed`} names={fed} />
      <Names id={`${lists}feeders`} names={supplies} />
    </Form>
  );
}

/** A site has thousands of names: do not render them at every keystroke. */
const Names = memo(({ id, names }: { readonly id: string; readonly names: readonly string[] }) => (
  <datalist id={id}>
    {names.map((name) => (
      <option key={name} value={name} />
    ))}
  </datalist>
));
