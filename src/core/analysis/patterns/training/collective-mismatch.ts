import { eventLines, toEpisode } from '../episodes.ts';
import { lacks, type Pattern } from '../pattern.ts';
import { nameList } from '../words.ts';
import { groupsOf } from './collective-hang.ts';

export const collectiveMismatch: Pattern = {
  id: 'collective-mismatch',
  detect: (facts) =>
    groupsOf(facts.of('collective_mismatch')).map((events) => {
      const { things, start_ns, end_ns } = toEpisode(events);
      const hosts = things.flatMap((rank) => [rank, ...facts.at(start_ns).sourcesOf(rank).keys()]);
      return {
        headline: `Ranks disagree about what comes next: ${events[0].message}.`,
        severity: 'critical',
        start_ns,
        end_ns,
        things,
        evidence: eventLines(events),
        missing: lacks(
          facts.hasLog(hosts),
          'logs',
          `no log of ${nameList(things.map((key) => facts.name(key)))} or its machine: which way the program took there is unknown`,
        ),
      };
    }),
};
