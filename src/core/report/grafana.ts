import { hypothesisKey } from '../../model/incident/annotation.ts';
import { type Incident, subjectName } from '../../model/incident/incident.ts';
import type { ReportDocument, ReportVerdict } from '../../model/incident/report-document.ts';
import { withTied } from '../../model/incident/tied-hypotheses.ts';
import { undecidedText } from './report-text.ts';

/**
 * Annotations as Grafana's HTTP API takes them (`POST /api/annotations`, one each): the impact of each incident as a
 * region, each step of its chain as a moment. Times are whole milliseconds since 1970, as that API has them.
 */
export function renderGrafana({ incidents, verdicts, case: name }: ReportDocument): string {
  const annotations = incidents.flatMap((incident) => {
    const { id, causal_chain: chain, affected_services: services } = incident;
    const cause = causeText(
      incident,
      verdicts.find((verdict) => verdict.incident === id),
    );
    const tags = ['faultline', id];
    return [
      {
        time: Date.parse(chain.at(-1)?.timestamp ?? incident.window_start),
        timeEnd: Date.parse(incident.window_end),
        tags: [...tags, 'incident'],
        text: escapeHtml(`${services.join(', ')}: ${cause}, case ${name}`),
      },
      ...chain.map(({ timestamp, type, device_id }) => ({
        time: Date.parse(timestamp),
        tags: [...tags, 'chain', type],
        text: escapeHtml(`${type.replaceAll('_', ' ')} on ${device_id}`),
      })),
    ];
  });
  return `${JSON.stringify(annotations, null, 2)}\n`;
}

type Named = Pick<Incident['hypotheses'][number], 'subject' | 'also' | 'type'>;
const named = (one: Named): string => `${one.type.replaceAll('_', ' ')}${one.subject ? ` on ${subjectName(one)}` : ''}`;
const keyOf = ({ subject, type }: Named): string => hypothesisKey(subject, type);

/** What the investigator confirmed; else the first hypothesis that was not ruled out. */
function causeText({ hypotheses }: Incident, verdict: ReportVerdict | undefined): string {
  if (verdict?.confirmed) return `${named(verdict.confirmed)} (confirmed by the investigator)`;
  const out = new Set(verdict?.ruled_out.map(keyOf));
  const open = hypotheses.filter((one) => !out.has(keyOf(one)));
  const [best] = open;
  const tied = withTied(open);
  const first = hypotheses[0];
  const ruledOut = first && out.has(keyOf(first)) ? `; ruled out by the investigator: ${named(first)}` : '';
  if (tied.length > 0) return `${undecidedText(tied)}${ruledOut}`;
  return `${best ? named(best) : 'unknown'} (probability ${best?.probability.toFixed(2) ?? 'unknown'})${ruledOut}`;
}

/** Grafana shows the text of an annotation as HTML. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
