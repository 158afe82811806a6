import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { codesOf, isFromLog, xids } from './xids.ts';

const NVLINK = new Set([74, 136, 144, 145, 146, 147, 148, 149, 150, 155]);
export const nvlinkFault: Pattern = {
  id: 'nvlink-fault',
  detect: (facts) => {
    const linkEvents = [
      ...xids(facts, NVLINK),
      ...facts.of('nvlink_error').filter((event) => !isRetried(event)),
      ...facts.of('nvswitch_error').filter(({ severity }) => severity <= 1),
      ...facts.of('link_down').filter(({ entity }) => facts.isKind(entity, 'nvlink')),
    ].sort((a, b) => (a.time_ns < b.time_ns ? -1 : 1));
    // Both ends report a broken link: per machine it is one finding.
    const machine = ({ entity, time_ns, device_id }: PatternEvent) =>
      entity < 0 ? device_id : facts.machineOf(entity, time_ns);
    return episodes(linkEvents, machine, patterns.briefApartSeconds).map(({ events, entities, start_ns, end_ns }) => {
      const names = nameList(events.map(({ device_id }) => device_id));
      const codes = codesOf(events);
      const down = events.filter(({ type }) => type === 'link_down').length;
      const switches = events.filter(({ type }) => type === 'nvswitch_error').length;
      const parts = [
        ...(codes.length > 0 ? [`Xid ${codes.join(', ')}`] : []),
        ...(switches > 0 ? [`${count(switches, 'fatal SXid')} of the switch`] : []),
        ...(down > 0 ? [`${count(down, 'link')} down`] : []),
        ...(events.some(({ type }) => type === 'nvlink_error') ? ['errors that a retry did not correct'] : []),
      ];
      return {
        headline: `NVLink fault at ${names}: ${parts.join(', ')}.`,
        severity: codes.length > 0 || down > 0 || switches > 0 ? 'high' : 'medium',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: missingOf(facts, events, entities),
      };
    });
  },
};

/** The link retries CRC errors and replays by itself, but not recoveries and fatal errors. */
function isRetried({ origin, attributes }: PatternEvent): boolean {
  const from = attributes['derived_from'] as { readonly series?: { readonly error?: unknown } } | undefined;
  return origin === 'derived' && /crc|replay|ecc/i.test(String(from?.series?.error ?? ''));
}

function missingOf(facts: CaseFacts, events: readonly PatternEvent[], entities: readonly number[]) {
  const own = entities.flatMap((entity) => [...facts.at(events[0]?.time_ns ?? 0n).below(entity), entity]);
  const isCounted =
    facts.isMeasured(own, ['hw.nvlink.errors', 'hw.link.state']) || events.some(({ origin }) => origin === 'derived');
  return [
    ...lacks(isCounted, 'gpu', 'no error counters or states of the links: affected link and start unknown'),
    ...lacks(events.some(isFromLog), 'logs', 'no kernel log: driver messages about the link unknown'),
  ];
}
