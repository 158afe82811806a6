import type { CaseInfo, IncidentView } from '../../../model/contract/index.ts';
import type { Annotation } from '../../../model/incident/annotation.ts';
import { incidentStrength } from '../../../model/incident/incident.ts';
import { judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import type { CaseSummary } from '../../../model/storage/case-summary.ts';

/** Sources and verdicts beyond these are counted, not listed. */
const MOST_SOURCES = 40;
const MOST_VERDICTS = 3;

/** What Home shows of a case. A cause that was ruled out is not named. */
export function summariseCase(
  info: CaseInfo,
  views: readonly IncidentView[],
  annotations: readonly Annotation[],
): CaseSummary {
  const strongest = views.toSorted((a, b) => incidentStrength(b.incident) - incidentStrength(a.incident));
  return {
    first_ns: info.first_ns,
    last_ns: info.last_ns,
    layers_present: info.layers_present,
    layers_missing: info.layers_missing,
    rejects: info.rejects,
    source_count: info.sources.length,
    sources: info.sources
      .slice(0, MOST_SOURCES)
      .map(({ name, format, rows, rejects }) => ({ name, format, rows, rejects })),
    incident_count: views.length,
    verdicts: strongest.slice(0, MOST_VERDICTS).flatMap(({ service, incident }) => {
      const { leading: first, undecided } = judgedVerdict(incident, annotations);
      return first
        ? [
            {
              service,
              type: first.type,
              subject: first.subject?.id ?? null,
              probability: first.probability,
              tied: Math.max(0, undecided.length - 1),
            },
          ]
        : [];
    }),
  };
}
