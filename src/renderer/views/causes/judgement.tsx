import { useState } from 'react';
import { type AnnotationOf, hypothesisKey, judgementTexts } from '../../../model/incident/annotation.ts';
import type { Hypothesis } from '../../../model/incident/incident.ts';
import { annotate, freshAnnotation } from '../../state/annotations.ts';
import { useFocus } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { subjectOf } from './headline-text.ts';
import { messages } from './messages.ts';

type Verdict = AnnotationOf<'judgement'>['judgement'];

/** The investigator's judgement of a hypothesis of the incident on screen. */
export function useJudgement(hypothesis: Hypothesis): AnnotationOf<'judgement'> | undefined {
  const incident = useFocus((focus) => focus.incident);
  const key = hypothesisKey(hypothesis.subject, hypothesis.type);
  return useAnnotationList().findLast(
    (one): one is AnnotationOf<'judgement'> =>
      one.kind === 'judgement' && one.incident === incident && one.hypothesis === key,
  );
}

const marks: Readonly<Record<Verdict, string>> = {
  accepted: messages.judgement.accepted,
  rejected: messages.judgement.rejected,
  noted: messages.judgement.noted,
};

export function JudgementBadge({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  const judged = useJudgement(hypothesis);
  return judged ? <span className={`judgement-badge ${judged.judgement}`}>{marks[judged.judgement]}</span> : null;
}

/** Confirm, rule out or comment on a hypothesis, with a reason. The computed verdict does not change; headline and report show both. */
export function Judgement({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  const judged = useJudgement(hypothesis);
  const incident = useFocus((focus) => focus.incident);
  const [text, setText] = useState<string | null>(null);
  if (incident === null) return null;
  const name = subjectOf(hypothesis);
  const judge = (judgement: Verdict, words: string) => {
    const base = judged ?? { ...freshAnnotation(''), kind: 'judgement' as const, incident, hypothesis: '' };
    // The newest judgement is the one that counts.
    const made_at_ns = BigInt(Date.now()) * 1_000_000n;
    const put = {
      ...base,
      made_at_ns,
      judgement,
      text: words,
      hypothesis: hypothesisKey(hypothesis.subject, hypothesis.type),
    };
    return annotate(messages.judgement.judged(name, judgementTexts[judgement]), { put: [put] });
  };
  const toggle = async (judgement: Verdict) => {
    if (judged?.judgement === judgement) {
      setText(null);
      return annotate(messages.judgement.withdrawn(name, judgementTexts[judgement]), { remove: [judged.id] });
    }
    // The judgement counts at once; the reason is asked for, not required.
    if (await judge(judgement, judged?.text ?? '')) setText(judged?.text ?? '');
  };
  const saveJudgement = async () => {
    if (text !== null && (await judge(judged?.judgement ?? 'noted', text.trim()))) setText(null);
  };
  return (
    <div className="judgement">
      <div className="button-row">
        {(['accepted', 'rejected'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={judged?.judgement === each}
            aria-label={`${each === 'accepted' ? messages.judgement.accept : messages.judgement.reject} ${name}`}
            onClick={() => void toggle(each)}
          >
            {each === 'accepted' ? messages.judgement.accept : messages.judgement.reject}
          </button>
        ))}
        <button
          type="button"
          className="plain"
          aria-label={messages.judgement.commentOn(name)}
          onClick={() => setText(judged?.text ?? '')}
        >
          {messages.judgement.comment}
        </button>
      </div>
      {text === null ? (
        judged && judged.text !== '' ? (
          <p className="judgement-text">{judged.text}</p>
        ) : null
      ) : (
        <form
          className="judgement-form"
          onSubmit={(event) => {
            event.preventDefault();
            void saveJudgement();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // It closes the field alone: the judgement stays, without a new reason.
            event.stopPropagation();
            setText(null);
          }}
        >
          <input
            aria-label={messages.judgement.reason}
            // biome-ignore lint/a11y/noAutofocus: it opens on the investigator's own click, to be typed into
            autoFocus
            placeholder={messages.judgement.reasonPlaceholder}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit">{messages.judgement.save}</button>
        </form>
      )}
    </div>
  );
}
