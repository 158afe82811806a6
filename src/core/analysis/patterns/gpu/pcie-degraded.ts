import type { PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const pcieDegraded: Pattern = {
  id: 'pcie-degraded',
  detect: (facts) => {
    // Errors that the link corrects are no failure.
    const pcieEvents = facts.of('pcie_link_degraded', 'pcie_error').filter(({ severity }) => severity <= 1);
    const machine = ({ entity, time_ns, device_id }: PatternEvent) =>
      entity < 0 ? device_id : facts.machineOf(entity, time_ns);
    return episodes(pcieEvents, machine).map(({ events, entities, start_ns, end_ns }) => {
      const narrowed = events.filter(({ type }) => type === 'pcie_link_degraded');
      const errors = events.length - narrowed.length;
      const parts = [
        ...narrowed.slice(0, 3).map(({ device_id, message }) => `${device_id} ${message}`),
        ...(errors > 0
          ? [
              `uncorrected PCIe errors at ${nameList(events.filter(({ type }) => type === 'pcie_error').map(({ device_id }) => device_id))}`,
            ]
          : []),
      ];
      const all = facts.machineWithParts(entities[0] ?? -1, start_ns);
      return {
        headline: `${parts.join('; ')}.`,
        severity: events.some(({ severity }) => severity === 0) ? 'critical' : 'high',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: [
          ...lacks(
            facts.isMeasured(all, ['hw.pcie.link.width']),
            'gpu',
            'no width of the PCIe links: lost lanes unknown',
          ),
          ...lacks(errors > 0 || facts.hasLog(all), 'logs', 'no kernel log of the machine: bus errors unknown'),
        ],
      };
    });
  },
};
