import { type FormEvent, memo, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { IncidentView, Output } from '../../../model/contract/index.ts';
import { layers } from '../../../model/entity.ts';
import { nanos } from '../../../model/time.ts';
import { hypothesisText } from '../../draw/text/format-record.ts';
import { parseShift, shiftText } from '../../draw/text/format-shift.ts';
import { readableType } from '../../draw/text/format-value.ts';
import { useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { type Draft, suppose, useWhatIf } from '../../state/what-if.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
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

/** Enter in any of its fields supposes; Escape, handled by the panel, leaves. */
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
        Suppose
      </button>
    </form>
  );
}

function LayerForm() {
  const missing = useCase((state) => state.info?.layers_missing ?? []);
  const applied = useWhatIf((state) => state.applied);
  return (
    <fieldset className="layer-choices" aria-label="As if this layer had not been recorded">
      <legend className="muted">as if nothing had been recorded of</legend>
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
                ? 'not recorded as it is'
                : already
                  ? 'supposed already'
                  : `As if the ${layer} layer had not been recorded`
            }
            onClick={() => {
              suppose({ kind: 'layer', layer });
              restoreFocus();
            }}
          >
            {layer === 'gpu' ? 'GPU' : layer}
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

/** Events of the chain, then those of other hypotheses: what a verdict may rest on. */
function eventChoices(view: IncidentView, format: CaseTimeFormat): readonly EventChoice[] {
  const steps = view.steps
    .filter(({ ref }) => ref.startsWith('event:'))
    .map(({ ref, type, device, time_ns }) => ({
      id: ref,
      label: `${readableType(type)} on ${device}`,
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
  if (choices.length === 0)
    return <p className="muted">No hypothesis rests on an event. X on a selected event excludes it.</p>;
  return (
    <Form
      label="As if this event had not been recorded"
      ready={selected !== undefined}
      onSubmit={() => selected && suppose({ kind: 'events', ids: [selected.id], label: selected.label })}
    >
      <label>
        <span>without the event</span>
        <select value={id} onChange={(event) => setId(event.target.value)}>
          {choices.map((each) => (
            <option key={each.id} value={each.id}>
              {each.label}
              {each.when === '' ? '' : `, ${each.when}`}
            </option>
          ))}
        </select>
      </label>
      <p className="muted">Any other event: select it and press X.</p>
    </Form>
  );
}

/** A name that two sources share names neither; then the number does. */
function ClockForm({ source }: { readonly source: string | undefined }) {
  const sources = useCase((state) => state.info?.sources ?? []).filter(({ rows }) => (rows.event ?? 0) > 0);
  const [id, setId] = useState(source ?? String(sources[0]?.source_id ?? ''));
  const [shift, setShift] = useState('');
  const seconds = parseShift(shift);
  const chosen = sources.find(({ source_id }) => String(source_id) === id);
  if (sources.length === 0) return <p className="muted">No source holds events: there is no clock to shift.</p>;
  return (
    <Form
      label="As if this clock had been set otherwise"
      ready={seconds !== null && chosen !== undefined}
      onSubmit={() => seconds !== null && chosen && suppose({ kind: 'clock', source: id, name: chosen.name, seconds })}
    >
      <label>
        <span>the clock of</span>
        <select value={id} onChange={(event) => setId(event.target.value)}>
          {sources.map(({ source_id, name }) => (
            <option key={source_id} value={source_id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>shifted by</span>
        <input
          data-first={source === undefined ? undefined : ''}
          value={shift}
          placeholder="2.5 s, -90 s, +1 h"
          spellCheck={false}
          aria-describedby="shift-means"
          onChange={(event) => setShift(event.target.value)}
        />
      </label>
      <p className="muted" id="shift-means">
        {seconds === null
          ? shift.trim() === ''
            ? 'Added to its times, beyond the correction in use.'
            : 'Not a length of time: write 2.5 s, -90 s or +1 h.'
          : `Its events come ${shiftText(seconds)}.`}
      </p>
    </Form>
  );
}

type Feed = Output<'feeds.list'>[number];

function FeedForm() {
  const revision = useCase((state) => state.revision);
  const { value, problem, slow, retry } = useAnswer(`${revision}`, (signal) => client().call('feeds.list', {}, signal));
  if (problem) return <ProblemNote problem={problem} what="Feeds" onRetry={retry} />;
  if (!value) return slow ? <Progress label="Reading what feeds what" /> : null;
  if (value.length === 0)
    return <p className="muted">The topology names no feeds. A topology file with “feeds” edges would.</p>;
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
      label="As if it had been fed by another"
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
        <span>the thing</span>
        <input
          ref={field}
          list={`${lists}fed`}
          value={to}
          spellCheck={false}
          placeholder="server:…"
          onChange={(event) => setTo(event.target.value)}
        />
      </label>
      <label>
        <span>fed by</span>
        <input
          list={`${lists}feeders`}
          value={from}
          spellCheck={false}
          placeholder="nothing"
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <label>
        <span>instead of</span>
        <select value={insteadOf} onChange={(event) => setInsteadOf(event.target.value)}>
          <option value={NO_SUPPLY}>{now.length > 1 ? `all of ${now.length} feeders` : 'whatever feeds it'}</option>
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

/** A site has thousands of names; they are not drawn anew at every key. */
const Names = memo(({ id, names }: { readonly id: string; readonly names: readonly string[] }) => (
  <datalist id={id}>
    {names.map((name) => (
      <option key={name} value={name} />
    ))}
  </datalist>
));
