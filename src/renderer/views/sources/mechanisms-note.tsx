import { useState } from 'react';
import type { Output } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import { saveFile } from '../../state/save-file.ts';
import { copyText, showError } from '../../state/toasts.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';

export type Mechanisms = Output<'mechanisms.status'>;
type Issue = Mechanisms['issues'][number];

/** The causal rules behind the verdicts: the built-in file, or the investigator's own. */
export function MechanismsNote({ mechanisms }: { readonly mechanisms: Mechanisms }) {
  const { problem, issues } = mechanisms;
  return (
    <div className="mechanisms">
      <p>
        <b>{inUse(mechanisms)}</b> <span className="muted">{locationText(mechanisms)}</span>
      </p>
      {problem ? <ProblemNote problem={problem} /> : null}
      {issues.length > 0 ? (
        <DataTable<Issue>
          label={messages.mechanisms.issues}
          columns={issueColumns}
          rows={issues}
          keyOf={({ line, field, message }) => `${line} ${field} ${message}`}
          empty=""
        />
      ) : null}
      <div className="button-row">
        <SaveBundled />
        <button
          type="button"
          className="plain"
          onClick={() => void copyText(mechanisms.place, messages.mechanisms.path)}
        >
          {messages.mechanisms.copyPath}
        </button>
      </div>
    </div>
  );
}

function inUse({ in_use, has_file, problem }: Mechanisms): string {
  if (in_use === 'own') return problem ? messages.mechanisms.lastValid : messages.mechanisms.own;
  return has_file ? messages.mechanisms.invalid : messages.mechanisms.builtIn;
}

const locationText = ({ has_file, place }: Mechanisms): string =>
  has_file ? messages.mechanisms.ownPath(place) : messages.mechanisms.override(place);

function SaveBundled() {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const { text } = await client().call('mechanisms.bundled', {});
      await saveFile('mechanisms.yaml', new Blob([text], { type: 'application/yaml' }));
    } catch (error) {
      showError(problemOf(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <button type="button" disabled={saving} title={messages.mechanisms.saveTitle} onClick={() => void save()}>
      {messages.mechanisms.save}
    </button>
  );
}

const issueColumns: readonly Column<Issue>[] = [
  {
    id: 'line',
    title: messages.mechanisms.line,
    numeric: true,
    width: '48px',
    cell: ({ line }) => line ?? '',
    sort: ({ line }) => line ?? 0,
  },
  {
    id: 'field',
    title: messages.mechanisms.field,
    width: 'minmax(120px, 1fr)',
    cell: ({ field }) => <code title={field}>{field}</code>,
    sort: ({ field }) => field,
  },
  {
    id: 'message',
    title: messages.mechanisms.problem,
    width: 'minmax(200px, 3fr)',
    cell: ({ message }) => <span title={message}>{message}</span>,
    sort: ({ message }) => message,
  },
];
