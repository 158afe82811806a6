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
import { restoreFocus } from './restore-focus.ts';
import { WhatIfAnswer } from './what-if-answer.tsx';
import { DraftForm } from './what-if-forms.tsx';
import './what-if.css';

/** What is supposed and what that would change: beside the verdict, never in its place. */
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
        <button
          type="button"
          title="Suppose the recording were another one  Q"
          onClick={() => draftSupposition({ kind: 'layer' })}
        >
          What if…
        </button>
      </div>
    );
  return (
    <section
      className={`what-if${applied.length > 0 ? ' standing' : ''}`}
      aria-label="What if"
      data-testid="what-if"
      onKeyDown={stepBack}
    >
      <header>
        <h3>What if</h3>
        <span className="muted">supposed, not recorded</span>
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
      <button type="button" className="plain" disabled={!canUndo} title="Undo  Ctrl Z" onClick={undoSupposing}>
        Undo
      </button>
      <button type="button" className="plain" disabled={!canRedo} title="Redo  Ctrl Shift Z" onClick={redoSupposing}>
        Redo
      </button>
      <button
        type="button"
        className="plain"
        disabled={!canReset}
        title="Suppose nothing: the recording as it is"
        onClick={supposeNothing}
      >
        Reset
      </button>
    </span>
  );
}

function Chips({ applied }: { readonly applied: readonly Supposition[] }) {
  return (
    <ul className="chips" aria-label="Supposed">
      {applied.map((one) => (
        <li key={keyOfSupposition(one)}>
          <button
            type="button"
            className="chip"
            data-testid="supposition"
            title="Take it back"
            aria-label={`Take back: ${suppositionText(one)}`}
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
      return `without the ${one.layer} layer`;
    case 'events':
      return `without ${one.label}`;
    case 'clock':
      return `${one.name} ${shiftText(one.seconds)}`;
    case 'feed':
      return one.from === null
        ? `${entityIdOf(one.to)} not fed by ${one.insteadOf === null ? 'anything' : entityIdOf(one.insteadOf)}`
        : `${entityIdOf(one.to)} fed by ${entityIdOf(one.from)}${one.insteadOf === null ? '' : ` instead of ${entityIdOf(one.insteadOf)}`}`;
  }
}

const kinds: readonly { readonly kind: Draft['kind']; readonly title: string; readonly about: string }[] = [
  { kind: 'layer', title: 'layer', about: 'As if a layer had not been recorded' },
  { kind: 'events', title: 'event', about: 'As if an event had not been recorded' },
  { kind: 'clock', title: 'clock', about: "As if a source's clock had been set otherwise" },
  { kind: 'feed', title: 'feed', about: 'As if a feed came from another thing' },
];

function Kinds({ draft }: { readonly draft: Draft | null }) {
  return (
    <fieldset className="kinds" aria-label="What to suppose about">
      <span className="muted">suppose another</span>
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
