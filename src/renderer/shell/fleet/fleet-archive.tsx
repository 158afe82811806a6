import { useState } from 'react';
import { visibleLine } from '../../../base/visible-text.ts';
import {
  editArchiveText,
  setArchiveField,
  testArchive,
  useArchive,
  useArchiveKinds,
} from '../../state/archive-draft.ts';
import { useFleet } from '../../state/fleet-draft.ts';
import { choosePlan, savePlanFile } from '../../state/plan-draft.ts';
import { messages as archive } from '../messages/archive.ts';
import { messages } from '../messages/fleet.ts';
import { PlanFields } from '../plan-fields.tsx';
import { TestSteps } from '../test-steps.tsx';

/** The plan of the archive, as in "Open from archive": folded away once it answered. */
export function FleetArchive() {
  const { fields, problems, text } = useArchive();
  const isAnswered = useFleet((state) => state.found !== null);
  const [isOpen, setOpen] = useState(problems.length > 0 || typeof fields['url'] !== 'string');
  const [wasAnswered, setAnswered] = useState(isAnswered);
  if (isAnswered !== wasAnswered) {
    setAnswered(isAnswered);
    if (isAnswered) setOpen(false);
  }
  const { url, database } = fields;
  const summary =
    typeof url === 'string' && url !== ''
      ? messages.chosen(
          visibleLine(url),
          typeof database === 'string' ? visibleLine(database) : messages.unknownDatabase,
        )
      : messages.choose;
  return (
    <details className="fleet-archive" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? <Settings text={text} /> : null}
    </details>
  );
}

function Settings({ text }: { readonly text: string }) {
  const { fields, problems, problem, running, tested } = useArchive();
  const { value: kinds = [] } = useArchiveKinds();
  const kind = kinds.find((one) => one.kind === fields['kind']);
  const elsewhere = problems.filter(({ path }) => !kind?.fields.some((field) => field.path === path));
  const refuse = (reason: { readonly code: string; readonly message: string }) =>
    useArchive.setState({ problem: reason });
  return (
    <div className="fleet-settings">
      <section className="connect-form" aria-label={archive.settings}>
        <PlanFields fields={kind?.fields ?? []} values={fields} problems={problems} onSet={setArchiveField} />
      </section>
      <section className="connect-text archive-text">
        <label htmlFor="fleet-plan">{archive.planText}</label>
        <textarea
          id="fleet-plan"
          className="mono"
          spellCheck={false}
          value={text}
          placeholder={'kind: clickhouse\nurl: https://clickhouse.example:8443'}
          onChange={(event) => editArchiveText(event.target.value)}
        />
        {elsewhere.map(({ path, message }) => (
          <p key={`${path} ${message}`} className="connect-wrong" role="alert">
            ▲ {path === '' ? message : `${path}: ${message}`}
          </p>
        ))}
        {problem ? (
          <p className="connect-wrong" role="alert">
            ▲ {problem.message}
          </p>
        ) : null}
        <div className="button-row">
          <button type="button" onClick={() => choosePlan(editArchiveText, refuse)}>
            {archive.openPlan}
          </button>
          <button type="button" disabled={text === ''} onClick={() => void savePlanFile('archive.yaml', text)}>
            {archive.savePlan}
          </button>
          <button
            type="button"
            disabled={text === '' || problems.length > 0 || running?.what === 'pull'}
            onClick={() => void testArchive()}
          >
            {running?.what === 'test' ? archive.testing : archive.test}
          </button>
        </div>
        <TestSteps tested={tested ?? undefined} />
      </section>
    </div>
  );
}
