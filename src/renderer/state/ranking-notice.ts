import type { IncidentView } from '../../model/contract/index.ts';
import { hypothesisKey } from '../../model/incident/annotation.ts';
import type { Hypothesis } from '../../model/incident/incident.ts';
import { withTied } from '../../model/incident/tied-hypotheses.ts';
import { formatProbability, readableType } from '../draw/text/format-value.ts';
import { messages } from './messages.ts';

const nameOf = ({ type, subject }: Hypothesis): string =>
  subject ? messages.on(readableType(type), subject.name ?? subject.id) : readableType(type);

function verdictText({ incident: { hypotheses } }: IncidentView): string {
  const tied = withTied(hypotheses);
  if (tied.length > 0) return messages.ranking.undecided(tied.slice(0, 2).map(nameOf), tied.length - 2);
  const [first] = hypotheses;
  return first ? messages.ranking.first(nameOf(first), formatProbability(first.probability)) : messages.ranking.none;
}

/** What an edit of links or clocks did to the verdict of the incident on screen; null where none is on screen. */
export function rankingNotice(
  before: readonly IncidentView[],
  after: readonly IncidentView[],
  selected: string | null,
): string | null {
  const of = (list: readonly IncidentView[]) => list.find(({ incident }) => incident.id === selected);
  const [old, now] = [of(before), of(after)];
  if (!old) return null;
  if (!now) return messages.ranking.gone;
  const [was, is] = [verdictText(old), verdictText(now)];
  if (was === is) return messages.ranking.same(is);
  const firstOf = ({ incident: { hypotheses } }: IncidentView) =>
    hypotheses[0] ? hypothesisKey(hypotheses[0].subject, hypotheses[0].type) : '';
  return firstOf(old) === firstOf(now) ? messages.ranking.moved(is, was) : messages.ranking.other(is, was);
}
