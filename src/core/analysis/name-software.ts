import type { Evidence, Hypothesis } from '../../model/incident.ts';
import type { Reader } from '../store/reader.ts';
import type { ImpactWindow } from './impact.ts';
import { type SoftwareQuestion, softwareSuspects } from './software/software-suspects.ts';

const MOST_NAMED = 3;
const MOST_LINES = 2;

/** Whether it is worth asking which software it was: comparing every series costs a fifth of a second an incident. */
export const isSoftwareInQuestion = ([first]: readonly Hypothesis[]): boolean => first?.type === 'no_physical_cause';

/**
 * Says under "no physical cause" which software stands out: services explained away along their calls, spans, log
 * templates, metrics. Their scores are not fitted together with the hypotheses, so that they are told and not weighed.
 */
export async function nameSoftware(
  reader: Reader,
  hypotheses: readonly Hypothesis[],
  about: { readonly window: ImpactWindow } & Pick<SoftwareQuestion, 'measurements' | 'entities' | 'edges'>,
): Promise<Hypothesis[]> {
  const { window, ...facts } = about;
  const { suspects } = await softwareSuspects(reader, {
    window: { start_ns: window.onset_earliest_ns, end_ns: window.end_ns },
    service: window.service,
    ...facts,
  });
  const named = suspects.filter(({ score }) => score > 0).slice(0, MOST_NAMED);
  const told = named.flatMap(({ subject, evidence }) =>
    evidence
      .filter(({ weight, text }) => weight > 0 && text !== '')
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MOST_LINES)
      .map(({ text, refs }): Evidence => {
        const line = `software suspect ${subject.kind} ${subject.id}: ${text}`;
        return { sign: 'neutral', weight: 0, text: line, refs };
      }),
  );
  return hypotheses.map((hypothesis) =>
    hypothesis.type === 'no_physical_cause' && told.length > 0
      ? { ...hypothesis, evidence: [...hypothesis.evidence, ...told] }
      : hypothesis,
  );
}
