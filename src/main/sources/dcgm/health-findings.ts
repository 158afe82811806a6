import type { Severity } from '../../../model/entity.ts';
import type { Finding } from './diagnostic-findings.ts';
import { type Json, objectOf, textOf, textsOf } from './format.ts';

const severities: ReadonlyMap<string, Severity> = new Map([
  ['Warning', 'medium'],
  ['Failure', 'critical'],
]);
const childrenOf = (jsonNode: unknown): [string, Json][] =>
  Object.entries(objectOf(objectOf(jsonNode)['children'])).map(([name, child]) => [name, objectOf(child)]);

/** What the background checks found: one finding for each part and subsystem, or that all is well. */
export function healthFindings(body: Json): Finding[] {
  const overall = objectOf(body['Overall Health']);
  const verdict = textOf(overall['value']);
  const findings = Object.entries(body)
    .filter(([group]) => group !== 'Overall Health')
    .flatMap(([group, box]) => childrenOf(box).flatMap(([number, part]) => findingsOf({ group, number }, part)));
  if (findings.length > 0) return findings;
  const healthy = verdict === 'Healthy';
  const message = `Overall Health: ${verdict}`;
  return [
    {
      part: undefined,
      type: healthy ? 'health_check_passed' : 'health_check_failed',
      severity: healthy ? 'low' : (severities.get(verdict) ?? 'medium'),
      message,
      attributes: { status: verdict },
      raw: overall,
    },
  ];
}

function findingsOf(part: { readonly group: string; readonly number: string }, box: Json): Finding[] {
  if (!/^\d{1,9}$/.test(part.number)) return [];
  const errors = childrenOf(box).find(([name]) => name === 'Errors')?.[1];
  const systems = childrenOf(errors).map(([system, { value, overflow }]) => ({
    system,
    status: textOf(value),
    overflow,
  }));
  const healthSystems =
    systems.length > 0 ? systems : [{ system: '', status: textOf(box['value']), overflow: undefined }];
  return healthSystems
    .filter(({ status }) => status !== '' && status !== 'Healthy')
    .map(({ system, status, overflow }) => ({
      part,
      type: 'health_check_failed',
      severity: severities.get(status) ?? 'medium',
      // Texts are cut where the printed table was full.
      message: [system, textsOf(overflow).join(' ') || status].filter((text) => text !== '').join(': '),
      attributes: { system, status },
      raw: box,
    }));
}
