import { useState } from 'react';
import type { Output } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { client } from '../../state/client.ts';
import { saveFile } from '../../state/save-file.ts';
import { copyText, showError } from '../../state/toasts.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';

export type Mechanisms = Output<'mechanisms.status'>;
type Issue = Mechanisms['issues'][number];

/** Which knowledge of causes and effects the verdicts rest on: the file that comes with Faultline, or one's own. */
export function MechanismsNote({ mechanisms }: { readonly mechanisms: Mechanisms }) {
  const { problem, issues } = mechanisms;
  return (
    <div className="mechanisms">
      <p>
        <b>{inUse(mechanisms)}</b> <span className="muted">{whereItLies(mechanisms)}</span>
      </p>
      {problem ? <ProblemNote problem={problem} /> : null}
      {issues.length > 0 ? (
        <DataTable<Issue>
          label="What is wrong in it"
          columns={issueColumns}
          rows={issues}
          keyOf={({ line, field, message }) => `${line} ${field} ${message}`}
          empty=""
        />
      ) : null}
      <div className="button-row">
        <SaveBundled />
        <button type="button" className="plain" onClick={() => void copyText(mechanisms.place, 'Place')}>
          Copy place
        </button>
      </div>
    </div>
  );
}

function inUse({ in_use, has_file, problem }: Mechanisms): string {
  if (in_use === 'own')
    return problem ? 'The last valid version of your own file is in use.' : 'Your own file is in use.';
  return has_file
    ? 'The mechanisms that come with Faultline are in use: your own file is not valid.'
    : 'The mechanisms that come with Faultline are in use.';
}

const whereItLies = ({ has_file, place }: Mechanisms): string =>
  has_file
    ? `It lies at ${place}; a change is taken up at the next question.`
    : `Your own would lie at ${place} and be used in their place, as soon as it is there.`;

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
    <button type="button" disabled={saving} title="To begin your own with" onClick={() => void save()}>
      Save those that come with Faultline
    </button>
  );
}

const issueColumns: readonly Column<Issue>[] = [
  {
    id: 'line',
    title: 'line',
    numeric: true,
    width: '48px',
    cell: ({ line }) => line ?? '',
    sort: ({ line }) => line ?? 0,
  },
  {
    id: 'field',
    title: 'field',
    width: 'minmax(120px, 1fr)',
    cell: ({ field }) => <code title={field}>{field}</code>,
    sort: ({ field }) => field,
  },
  {
    id: 'message',
    title: 'what is wrong',
    width: 'minmax(200px, 3fr)',
    cell: ({ message }) => <span title={message}>{message}</span>,
    sort: ({ message }) => message,
  },
];
