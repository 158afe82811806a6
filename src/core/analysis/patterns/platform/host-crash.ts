import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const hostCrash: Pattern = {
  id: 'host-crash',
  detect: (facts) =>
    episodes(
      facts.of('host_degradation', 'machine_check', 'memory_error').filter(isCrash),
      undefined,
      patterns.slowApartSeconds,
    ).map(({ events, entities, start_ns, end_ns }) => {
      const [first] = events;
      const worstFirst = [...events].sort((a, b) => a.severity - b.severity)[0] ?? first;
      const machine = facts.machineWithParts(first.entity, start_ns);
      const rebooted = facts
        .of('host_rebooted')
        .filter(
          ({ entity, time_ns }) => machine.has(entity) && time_ns >= start_ns && time_ns - end_ns < 1_800_000_000_000n,
        );
      return {
        headline: `${first.device_id}: ${worstFirst.message}${events.length > 1 ? `, and ${count(events.length - 1, 'more report')}` : ''}${rebooted.length > 0 ? '; it restarted' : ''}.`,
        severity: events.some(({ severity }) => severity === 0) ? 'critical' : 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: [...eventLines(events), ...eventLines(rebooted)],
        missing: lacks(
          [...machine].some((part) => facts.hasMetric([part], 'hw.')) ||
            facts
              .of('bmc_event', 'memory_error')
              .some(({ entity, origin }) => machine.has(entity) && origin !== 'kernel'),
          'server',
          `no BMC data of ${first.device_id}: hardware faults unknown`,
        ),
      };
    }),
};

/** A panic, a lockup, an oops, or an uncorrected hardware error that the processor reported. */
function isCrash(event: PatternEvent): boolean {
  const { type, severity } = event;
  return type === 'machine_check' || type === 'memory_error' ? severity <= 1 : isQualified(event, 'kernel_crash');
}
