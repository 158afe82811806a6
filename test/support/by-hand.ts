import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hypothesis, Incident } from '../../src/model/incident/incident.ts';
import { memoryCore, temporaryFolder } from './core.ts';
import { event, service } from './scenario.ts';

/** Incidents made up by hand: links of a topology, events and services, to one verdict. */

/** `from kind|id`, edge, `kind|id`, one link per line. */
export async function incidentsOf(links: string, ...documents: readonly unknown[]): Promise<readonly Incident[]> {
  const rows = links
    .trim()
    .split('\n')
    .map((row) => {
      const [from = '', edge = '', to = ''] = row.trim().split(' ');
      return `${from.replace('|', ',')},${edge},${to.replace('|', ',')},,`;
    });
  const core = await memoryCore();
  const file = join(await temporaryFolder(), 'topology.csv');
  await writeFile(file, `from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\n${rows.join('\n')}\n`);
  await core.import([file]);
  await core.importJson(...documents);
  return (await core.api.correlate({})).incidents;
}

export const eventWithMessage = (
  seconds: number,
  source: string,
  type: string,
  device: string,
  severity: string,
  text = '',
) => {
  const plainEvent = event(`${type}-${device}-${seconds}`, seconds, source, type, device, severity);
  return text === '' ? plainEvent : { ...plainEvent, raw_message: text };
};
export const metrics = (name: string, options: Parameters<typeof service>[1] = {}) => ({
  service_metrics: service(name, options),
});
export const healthy = (name: string) => metrics(name, { onset: 9999 });
export const of = (incidents: readonly Incident[], name: string) =>
  incidents.find(({ affected_services }) => affected_services.includes(name));
export const first = (incident: Incident | undefined): Hypothesis | undefined => incident?.hypotheses[0];
export const devices = (incident: Incident | undefined) =>
  incident?.hypotheses.filter(({ subject }) => subject !== null && subject.kind !== 'service') ?? [];
export const accused = (incident: Incident | undefined): number =>
  Math.max(0, ...devices(incident).map(({ probability }) => probability));
