import { eventLines, toEpisode } from '../episodes.ts';
import { nameList } from '../finding-text.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { groupsOf } from './collective-hang.ts';

export const collectiveMismatch: Pattern = {
  id: 'collective-mismatch',
  detect: (facts) =>
    groupsOf(facts.of('collective_mismatch')).map((events) => {
      const { entities, start_ns, end_ns } = toEpisode(events);
      const hosts = entities.flatMap((rank) => [rank, ...facts.at(start_ns).sourcesOf(rank).keys()]);
      return {
        headline: `Ranks entered different operations: ${events[0].message}.`,
        severity: 'critical',
        start_ns,
        end_ns,
        entities: entities,
        evidence: eventLines(events),
        missing: lacks(
          facts.hasLog(hosts),
          'logs',
          `no log of ${nameList(entities.map((key) => facts.name(key)))} or its machine: path through the program unknown`,
        ),
      };
    }),
};
