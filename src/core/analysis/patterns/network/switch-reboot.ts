import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern } from '../pattern.ts';

export const switchReboot: Pattern = {
  id: 'switch-reboot',
  detect: (facts) =>
    episodes(facts.of('switch_reboot'), undefined, patterns.repeatedApartSeconds).map(
      ({ events, entities, start_ns, end_ns }) => {
        const [first] = events;
        const machines = [...facts.at(start_ns).machinesBelow(first.entity)].filter((key) =>
          facts.isKind(key, 'server', 'node', 'instance'),
        );
        const parts = machines.flatMap((machine) => [...facts.machineWithParts(machine, start_ns)]);
        const behind = machines.length === 0 ? '' : `, which connects ${count(machines.length, 'machine')}`;
        return {
          headline: `Switch ${first.device_id}${behind}, restarted: ${first.message || 'no details reported'}.`,
          severity: 'high',
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: lacks(
            facts.isMeasured(parts, ['hw.link.state']) ||
              facts.of('link_down', 'link_up').some(({ entity }) => parts.includes(entity)),
            'network',
            `no links of ${first.device_id}: affected entities and duration unknown`,
          ),
        };
      },
    ),
};
