import {
  completingAt,
  fieldBefore,
  joiners,
  operatorsFor,
  ownValues,
  plainFields,
  relations,
  stageTexts,
  writtenValue,
} from '../../../model/traceql/complete.ts';
import { LONGEST_SEARCH } from '../../../model/traceql/syntax.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { setTraces, useTraces } from '../../state/traces.ts';
import { useCall } from '../../state/use-answer.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { type Completion, CompletionField, type Completions } from '../../widgets/completion-field.tsx';
import { messages } from './messages.ts';

const MOST_CHOICES = 40;

interface SearchFieldProps {
  readonly text: string;
  readonly isInvalid: boolean;
  readonly describedBy: string;
}

/** The search as text, completed from the case's own names and values. */
export function SearchField({ text, isInvalid, describedBy }: SearchFieldProps) {
  return (
    <div className="trace-input">
      <CompletionField
        value={text}
        onChange={(changed) => setTraces({ text: changed })}
        useCompletions={useSearchCompletions}
        label={messages.search.label}
        listLabel={messages.search.choices}
        maxLength={LONGEST_SEARCH}
        placeholder={messages.search.placeholder}
        isInvalid={isInvalid}
        describedBy={describedBy}
        testId="traceql"
      />
    </div>
  );
}

/** What may stand at the caret; names and values are read from the case once they are asked for. */
function useSearchCompletions(text: string, caret: number, isOpen: boolean): Completions {
  const { expected, from, to, typed } = completingAt(text, caret);
  const { startNs, endNs } = useSettledWindow();
  const everywhere = useTraces((state) => state.everywhere);
  const window = everywhere ? { start_ns: null, end_ns: null } : { start_ns: startNs, end_ns: endNs };
  const tags = useCall('traces.tags', isOpen && expected.kind === 'field' ? window : null, ['span']).value ?? [];
  const field = expected.kind === 'value' ? expected.field : '';
  const asksCase = isOpen && field !== '' && ownValues(field) === undefined;
  const values = useCall('traces.values', asksCase ? { ...window, field, text: typed } : null, ['span']).value ?? [];
  const spans = (count: number): string => messages.search.spans(formatCount(count));
  const plain = (all: readonly string[], after = ' ', note = ''): Completion[] =>
    all.map((label) => ({ label, text: `${label}${after}`, note }));
  const all = (): Completion[] => {
    switch (expected.kind) {
      case 'start':
        return plain(['{ '], '', messages.search.start);
      case 'field':
        return [
          ...plain(plainFields, ' ', messages.search.field),
          ...tags.map(({ scope, name, spans: count }) => {
            const label = `${scope}.${/^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name)}`;
            return { label, text: `${label} `, note: spans(count) };
          }),
        ];
      case 'operator':
        return plain(operatorsFor(fieldBefore(text.slice(0, from))));
      case 'value': {
        const own = ownValues(field);
        if (own) return plain(own);
        return values.map(({ value, is_number, spans: count }) => {
          const written = writtenValue(field, value, is_number);
          return { label: written, text: `${written} `, note: spans(count) };
        });
      }
      case 'joiner':
        return plain(joiners);
      case 'relation':
        return plain(relations);
      case 'stage':
        return plain(stageTexts, '');
    }
  };
  return { from, to, choices: isOpen ? matching(all(), typed).slice(0, MOST_CHOICES) : [] };
}

/** Those that begin with what is typed, then those that have it within. What is typed in full is no choice. */
function matching(choices: readonly Completion[], typed: string): readonly Completion[] {
  const word = typed.toLowerCase();
  const bare = ({ label }: Completion): string => label.toLowerCase().replace(/^"/, '');
  const found = choices.filter((one) => bare(one).includes(word) && one.label !== typed);
  const seen = new Set<string>();
  return [...found.filter((one) => bare(one).startsWith(word)), ...found].filter(({ label }) => {
    const isNew = !seen.has(label);
    seen.add(label);
    return isNew;
  });
}
