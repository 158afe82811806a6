import type { Output } from '../../../model/contract/index.ts';
import type { LineChange, Move } from '../../../model/incident/what-if.ts';
import { formatWeight, hypothesisText, readableTypes } from '../../draw/text/format-record.ts';
import { formatProbability, likelihood } from '../../draw/text/format-value.ts';
import { showDetails } from '../../state/case-state.ts';
import { select } from '../../state/focus.ts';
import { useCall } from '../../state/use-answer.ts';
import { type Supposition, toWhatIf, undoSupposing } from '../../state/what-if.ts';
import { keyed } from '../../widgets/keyed.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';

interface WhatIfAnswerProps {
  readonly incident: string;
  readonly applied: readonly Supposition[];
}

export function WhatIfAnswer({ incident, applied }: WhatIfAnswerProps) {
  const { value, isOld, isLoading, problem, slow } = useCall('incidents.whatIf', {
    what_if: toWhatIf(applied),
    incident,
  });
  return (
    <div aria-live="polite" aria-busy={isLoading}>
      {problem ? (
        <ProblemNote
          problem={problem}
          what={messages.whatIf.title}
          onRetry={undoSupposing}
          retry={messages.whatIf.undoLast}
        />
      ) : null}
      {slow ? (
        <div className="asking">
          <Progress label={messages.whatIf.loading} />
          <button type="button" className="plain" onClick={undoSupposing}>
            {messages.whatIf.cancel}
          </button>
        </div>
      ) : null}
      {value && !problem ? <Changes answer={value} stale={isOld} /> : null}
    </div>
  );
}

const SHOWN_MOVES = 4;

function Changes({ answer, stale }: { readonly answer: Output<'incidents.whatIf'>; readonly stale: boolean }) {
  const change = answer.incidents[0]?.change;
  if (!change) return <p className="muted">{messages.whatIf.noIncident}</p>;
  const sentence = change.sentence.startsWith(answer.supposed)
    ? change.sentence.slice(answer.supposed.length).trim()
    : change.sentence;
  const { moves } = change;
  return (
    <div className={`changes${stale ? ' stale' : ''}`}>
      <p className="what-if-sentence" data-testid="what-if-sentence">
        {change.is_verdict_changed ? <span className="caution">▲ </span> : null}
        {messages.whatIf.sentence(sentence)}
      </p>
      {moves.length > 0 ? <Moves moves={moves.slice(0, SHOWN_MOVES)} /> : null}
      {moves.length > SHOWN_MOVES ? (
        <details>
          <summary className="muted">{messages.whatIf.moreMoves(moves.length - SHOWN_MOVES)}</summary>
          <Moves moves={moves.slice(SHOWN_MOVES)} />
        </details>
      ) : null}
      <p className="muted">{messages.whatIf.unchanged}</p>
    </div>
  );
}

/** The evidence of the first hypothesis is open, that of the others is collapsed. */
function Moves({ moves }: { readonly moves: readonly Move[] }) {
  const first = moves.find(({ evidence }) => evidence.length > 0);
  return (
    <ul className="moves" aria-label={messages.whatIf.moves}>
      {keyed(moves).map(({ key, value: move }) => (
        <MoveRow key={key} move={move} open={move === first} />
      ))}
    </ul>
  );
}

function MoveRow({ move, open }: { readonly move: Move; readonly open: boolean }) {
  const { evidence } = move;
  return (
    <li data-testid="move">
      <div className="move">
        <span className="hypothesis-name">{hypothesisText(move)}</span>
        <ChangeText what="rank" before={rankText(move.rank_before)} after={rankText(move.rank_after)} />
        <ChangeText
          what="probability"
          before={figure(move.probability_before)}
          after={figure(move.probability_after)}
        />
        <span className="muted">{move.probability_after === null ? '' : likelihood(move.probability_after)}</span>
      </div>
      {evidence.length > 0 ? (
        <details open={open}>
          <summary className="muted">{countChanges(evidence)}</summary>
          <ul className="line-changes">
            {keyed(evidence).map(({ key, value: line }) => (
              <Line key={key} line={line} />
            ))}
          </ul>
        </details>
      ) : null}
    </li>
  );
}

const UNLISTED = messages.whatIf.unlisted;
const rankText = (rank: number | null): string => (rank === null ? UNLISTED : `${rank}.`);
const figure = (probability: number | null): string => (probability === null ? '' : formatProbability(probability));

/** Before and after; one value if nothing changed. */
function ChangeText({
  what,
  before,
  after,
}: {
  readonly what: 'rank' | 'probability';
  readonly before: string;
  readonly after: string;
}) {
  return (
    <span className={`turn ${what} number`} title={messages.whatIf.beforeAndAfter(messages.whatIf[what])}>
      <span className="visually-hidden">{messages.whatIf[what]} </span>
      {before === '' || after === '' || before === after ? (
        <span className={after === '' || before === after ? 'muted' : ''}>{after || messages.whatIf.was(before)}</span>
      ) : (
        <>
          <span className="muted">{before}</span>
          <span aria-hidden="true"> → </span>
          <span className="visually-hidden">{messages.whatIf.changedTo} </span>
          <b>{after}</b>
        </>
      )}
    </span>
  );
}

function countChanges(lines: readonly LineChange[]): string {
  const counts = Map.groupBy(lines, ({ change }) => change);
  return (['appeared', 'vanished', 'changed'] as const)
    .flatMap((change) => {
      const count = counts.get(change)?.length ?? 0;
      return count === 0 ? [] : [`${count} ${messages.whatIf.changes[change]}`];
    })
    .join(', ');
}

const marks = { appeared: '+', vanished: '\u00d7', changed: '~' } as const;

function Line({ line }: { readonly line: LineChange }) {
  const { change, weight_before: before, weight_after: after, refs } = line;
  const text = readableTypes(line.text);
  const [ref] = refs;
  return (
    <li className={`line-change ${change}`}>
      <span aria-hidden="true">{marks[change]}</span>
      <span className="number" title={messages.whatIf.logOdds}>
        {before === null ? '' : formatWeight(before)}
        {before !== null && after !== null ? ' → ' : ''}
        {after === null ? '' : formatWeight(after)}
      </span>
      <span>
        <span className="visually-hidden">{messages.whatIf.changes[change]}: </span>
        {ref ? (
          <button
            type="button"
            className="link evidence-link"
            onClick={() => {
              select(ref);
              showDetails();
            }}
          >
            {text}
          </button>
        ) : (
          text
        )}
      </span>
    </li>
  );
}
