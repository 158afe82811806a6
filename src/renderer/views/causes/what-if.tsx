import type { KeyboardEvent } from 'react';
import type { IncidentView } from '../../../model/contract/index.ts';
import { shiftText } from '../../draw/text/format-shift.ts';
import {
  type Draft,
  draftSupposition,
  keyOfSupposition,
  redoSupposing,
  type Supposition,
  stepBackSupposing,
  supposeNothing,
  takeBack,
  undoSupposing,
  useWhatIf,
} from '../../state/what-if.ts';
import { messages } from './messages.ts';
import { restoreFocus } from './restore-focus.ts';
import { WhatIfAnswer } from './what-if-answer.tsx';
import { DraftForm } from './what-if-forms.tsx';
import './what-if.css';

/** The assumptions and what they change, next to the recorded verdict. */
export function WhatIfPanel({ view }: { readonly view: IncidentView }) {
  const { applied, past, future, draft } = useWhatIf();
  const quiet = applied.length === 0 && draft === null && past.length === 0 && future.length === 0;
  const stepBack = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !stepBackSupposing()) return;
    event.preventDefault();
    event.stopPropagation();
    restoreFocus();
  };
  if (quiet)
    return (
      <div className="what-if-closed">
        <button type="button" title={messages.whatIf.open} onClick={() => draftSupposition({ kind: 'layer' })}>
          {messages.whatIf.openButton}
        </button>
      </div>
    );
  return (
    <section
      className={`what-if${applied.length > 0 ? ' standing' : ''}`}
      aria-label={messages.whatIf.title}
      data-testid="what-if"
      onKeyDown={stepBack}
    >
      <header>
        <h3>{messages.whatIf.title}</h3>
        <span className="muted">{messages.whatIf.assumed}</span>
        <span className="spring" />
        <History />
      </header>
      {applied.length > 0 ? <Chips applied={applied} /> : null}
      <Kinds draft={draft} />
      {draft ? <DraftForm key={draft.kind} draft={draft} view={view} /> : null}
      {applied.length > 0 ? <WhatIfAnswer incident={view.incident.id} applied={applied} /> : null}
    </section>
  );
}

function History() {
  const canUndo = useWhatIf((state) => state.past.length > 0);
  const canRedo = useWhatIf((state) => state.future.length > 0);
  const canReset = useWhatIf((state) => state.applied.length > 0);
  return (
    <span className="history">
      <button
        type="button"
        className="plain"
        disabled={!canUndo}
        title={messages.whatIf.undoTitle}
        onClick={undoSupposing}
      >
        {messages.whatIf.undo}
      </button>
      <button
        type="button"
        className="plain"
        disabled={!canRedo}
        title={messages.whatIf.redoTitle}
        onClick={redoSupposing}
      >
        {messages.whatIf.redo}
      </button>
      <button
        type="button"
        className="plain"
        disabled={!canReset}
        title={messages.whatIf.resetTitle}
        onClick={supposeNothing}
      >
        {messages.whatIf.reset}
      </button>
    </span>
  );
}

function Chips({ applied }: { readonly applied: readonly Supposition[] }) {
  return (
    <ul className="chips" aria-label={messages.whatIf.assumptions}>
      {applied.map((one) => (
        <li key={keyOfSupposition(one)}>
          <button
            type="button"
            className="chip"
            data-testid="supposition"
            title={messages.whatIf.remove}
            aria-label={messages.whatIf.removeOne(suppositionText(one))}
            onClick={() => {
              takeBack(one);
              restoreFocus();
            }}
          >
            <span className="ellipsis">{suppositionText(one)}</span> <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const entityIdOf = (entityKey: string): string => entityKey.slice(entityKey.indexOf(':') + 1);

function suppositionText(one: Supposition): string {
  switch (one.kind) {
    case 'layer':
      return messages.whatIf.withoutLayer(one.layer);
    case 'events':
      return messages.whatIf.without(one.label);
    case 'clock':
      return `${one.name} ${shiftText(one.seconds)}`;
    case 'feed':
      return one.from === null
        ? messages.whatIf.notFedBy(entityIdOf(one.to), one.insteadOf === null ? null : entityIdOf(one.insteadOf))
        : messages.whatIf.fedByInstead(
            entityIdOf(one.to),
            entityIdOf(one.from),
            one.insteadOf === null ? null : entityIdOf(one.insteadOf),
          );
  }
}

const kinds: readonly { readonly kind: Draft['kind']; readonly title: string; readonly about: string }[] = [
  { kind: 'layer', title: messages.whatIf.layer, about: messages.whatIf.layerLabel },
  { kind: 'events', title: messages.whatIf.event, about: messages.whatIf.eventAbout },
  { kind: 'clock', title: messages.whatIf.clock, about: messages.whatIf.clockAbout },
  { kind: 'feed', title: messages.whatIf.feed, about: messages.whatIf.feedAbout },
];

function Kinds({ draft }: { readonly draft: Draft | null }) {
  return (
    <fieldset className="kinds" aria-label={messages.whatIf.kinds}>
      <span className="muted">{messages.whatIf.change}</span>
      {kinds.map(({ kind, title, about }) => (
        <button
          key={kind}
          type="button"
          title={about}
          aria-label={about}
          aria-pressed={draft?.kind === kind}
          onClick={() => draftSupposition(draft?.kind === kind ? null : { kind })}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}
