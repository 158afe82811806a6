import type { ReportDocument } from '../../model/incident/report-document.ts';

/**
 * Annotations as Grafana's HTTP API takes them (`POST /api/annotations`, one each): the impact of each incident as a
 * region, each step of its chain as a moment. Times are whole milliseconds since 1970, as that API has them.
 */
export function renderGrafana({ incidents, case: name }: ReportDocument): string {
  const annotations = incidents.flatMap((incident) => {
    const { id, causal_chain: chain, affected_services: services, hypotheses } = incident;
    const [best] = hypotheses;
    const cause = best ? `${best.type.replaceAll('_', ' ')}${best.subject ? ` on ${best.subject.id}` : ''}` : 'unknown';
    const tags = ['faultline', id];
    return [
      {
        time: Date.parse(chain.at(-1)?.timestamp ?? incident.window_start),
        timeEnd: Date.parse(incident.window_end),
        tags: [...tags, 'incident'],
        text: escapeHtml(
          `${services.join(', ')}: ${cause} (probability ${best?.probability.toFixed(2) ?? 'unknown'}), case ${name}`,
        ),
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

/** Grafana shows the text of an annotation as HTML. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
