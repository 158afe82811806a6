import { xidMeaning } from '../../../../model/telemetry/xid-catalog.ts';
import { episodes, eventLines, timesOf } from '../episodes.ts';
import { count, nameList, secondsBetween } from '../finding-text.ts';
import { codesOf } from '../gpu/xids.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

export const applicationFault: Pattern = {
  id: 'application-fault',
  detect: (facts) => {
    const all = facts.of('xid_error');
    const classOf = (event: (typeof all)[number]) => xidMeaning(event.details.xid ?? 0)?.class;
    const hardware = all.filter(
      (event) => !['application', 'consequence', 'information'].includes(classOf(event) ?? ''),
    );
    const own = all.filter((event) => classOf(event) === 'application');
    const machine = (event: (typeof all)[number]) => facts.machineOf(event.entity, event.time_ns);
    const isFollowing = (event: (typeof all)[number]): boolean =>
      hardware.some(
        (other) =>
          machine(other) === machine(event) &&
          Math.abs(secondsBetween(other.time_ns, event.time_ns)) <= servingPatterns.hardwareSeconds,
      );
    return episodes(
      own.filter((event) => !isFollowing(event)),
      machine,
      patterns.briefApartSeconds,
    ).map(({ events, entities, start_ns, end_ns }) => {
      const codes = codesOf(events);
      const processes = events
        .flatMap(({ attributes }) => attributes['process'] ?? attributes['pid'] ?? [])
        .map(String);
      const what = codes.map((code) => `Xid ${code} (${xidMeaning(code)?.meaning ?? 'unknown'})`).join(', ');
      const by = processes.length > 0 ? ` of ${nameList(processes)}` : '';
      return {
        headline: `A program${by} faulted on ${nameList(events.map(({ device_id }) => device_id))}: ${what}, ${count(timesOf(events), 'time')}; no hardware Xid within 5 min.`,
        severity: 'medium',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(processes.length > 0, 'logs', 'no record names the process: faulty program unknown'),
      };
    });
  },
};
