import { NeedleSearch } from '../../log-events/needle-search.ts';
import { rankIn } from '../../log-record/lift.ts';
import { eventNeedles, statesEvent } from '../../log-record/writer.ts';
import { utf8 } from '../../otlp/utf8.ts';
import { mayStateStep, readStep, stepNeedles, type TrainingStep } from '../../training-steps/read-step.ts';

/** What the text of a body states beside itself. */
export interface BodyFacts {
  readonly rank: number | undefined;
  readonly step: TrainingStep | undefined;
  /** The text where it may name a span, else ''. */
  readonly spanText: string;
}

/** A text in upper and lower case and everything between. */
const anyCase = (text: string): readonly string[] =>
  [...text].reduce<string[]>(
    (all, letter) => all.flatMap((start) => [start + letter, start + letter.toUpperCase()]),
    [''],
  );
const spanNeedles = [...anyCase('trac'), ...anyCase('span')];
/** Once for all bodies: nearly none contains one. */
const search = new NeedleSearch([...eventNeedles, ...stepNeedles, ...spanNeedles, 'rank', 'Rank']);
const spans = new NeedleSearch(spanNeedles);

const nothing: BodyFacts = { rank: undefined, step: undefined, spanText: '' };

/** Reads a body from its first to behind its last byte. undefined: it may state an event, which the general reader reads. */
export function bodyFacts(bytes: Uint8Array, from: number, to: number): BodyFacts | undefined {
  if (!search.isIn(bytes, from, to)) return nothing;
  if (statesEvent(bytes, from, to)) return undefined;
  const text = utf8.decode(bytes.subarray(from, to));
  return {
    rank: rankIn(text),
    step: mayStateStep(bytes, from, to) ? readStep(text) : undefined,
    spanText: spans.isIn(bytes, from, to) ? text : '',
  };
}
