import type { EntityFact } from '../../store/facts/reader.ts';
import { weighedLine } from '../evidence/kind.ts';
import { complained } from '../evidence/software.ts';
import { software } from './parameters.ts';
import { type Finding, finding } from './suspect.ts';

/** More lines of failure of one service about its calls of another one than before. */
export interface Complaint {
  readonly caller: number;
  /** As the lines name it. */
  readonly called: string;
  /** Log-odds, natural, against chance. */
  readonly odds: number;
  /** One of them. */
  readonly line: string;
  /** In software, that the lines state; '' for none. */
  readonly reason: string;
  readonly before: number;
  readonly after: number;
  /** Evidence id of the first line. */
  readonly ref: string;
}

/** A complaint about a service of the case. */
export interface ServiceComplaint extends Complaint {
  readonly callee: number;
}

/** The service of a name, or of the first part of its name in the cluster's DNS; complaints of a service about itself are left out. */
export function complaintsOfServices(
  complaints: readonly Complaint[],
  entities: readonly EntityFact[],
): { readonly known: ServiceComplaint[]; readonly unknown: Complaint[] } {
  const services = new Map(
    entities.flatMap(({ kind, id, canonical_id }) => (kind === 'service' ? [[id.toLowerCase(), canonical_id]] : [])),
  );
  const unknown: Complaint[] = [];
  const known = complaints.flatMap((one) => {
    const name = one.called.toLowerCase().replace(/\.+$/, '');
    const isOfCluster = !name.includes('.') || name.includes('.svc');
    const callee = services.get(name) ?? (isOfCluster ? services.get(name.split('.')[0]!) : undefined);
    if (callee === undefined) unknown.push(one);
    return callee === undefined || callee === one.caller ? [] : [{ ...one, callee }];
  });
  return { known, unknown };
}

/** What callers state as the reason of failed calls, of services of which nothing but these lines is known: they are held against the caller. */
export const reasonsOfUnknown = (complaints: readonly Complaint[], nameOf: (service: number) => string): Finding[] =>
  complaints.flatMap(({ caller, called, odds, line, before, after, reason, ref }) =>
    reason === ''
      ? []
      : finding({
          key: caller,
          type: 'service_errors',
          layer: 'log',
          reason,
          evidence: [
            weighedLine(complained, odds, { service: called, caller: nameOf(caller), line, before, after }, [ref]),
          ],
        }),
  );

/** Per service that others complain of one suspect: the strongest complaint, and the next ones at a share of their weight. */
export const complaintFindings = (
  complaints: readonly ServiceComplaint[],
  nameOf: (service: number) => string,
): Finding[] =>
  [...Map.groupBy(complaints, ({ callee }) => callee)].map(([callee, list]) =>
    finding({
      key: callee,
      type: 'service_errors',
      layer: 'complaint',
      reason: list.find(({ reason }) => reason !== '')?.reason ?? '',
      evidence: list
        .toSorted((a, b) => b.odds - a.odds)
        .slice(0, software.mostFindings)
        .map(({ caller, odds, line, before, after, ref }, i) =>
          weighedLine(
            complained,
            i === 0 ? odds : software.furtherTemplateShare * odds,
            { service: nameOf(callee), caller: nameOf(caller), line, before, after },
            [ref],
          ),
        ),
    }),
  );
