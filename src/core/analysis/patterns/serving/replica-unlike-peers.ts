import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import { meanIn, readingsIn, refsOf, runsWhere } from '../../serving/runs.ts';
import type { ServiceSeries, ServingTracks } from '../../serving/service-series.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Requests take much longer on one replica than on its peers at the same time. */
export const replicaUnlikePeers: ServingRule = {
  id: 'replica-unlike-peers',
  find: (series) => [...series.replicas].flatMap(([name, own]) => slowTimes(series, name, own)),
};

function slowTimes(series: ServiceSeries, replica: string, own: ServingTracks): ServingCondition[] {
  const peers = [...series.replicas].flatMap(([name, other]) => (name === replica ? [] : [other]));
  if (peers.length + 1 < servingPatterns.leastReplicas) return [];
  const usualAt = (slice: number): number | undefined => {
    const levels = peers.flatMap(({ tracks }) => tracks.get('duration')?.at(slice) ?? []);
    return levels.length + 1 < servingPatterns.leastReplicas ? undefined : median(levels.map(({ mean }) => mean));
  };
  const isSlow = (mean: number, usual: number | undefined): boolean | undefined =>
    usual === undefined ? undefined : mean >= servingPatterns.slowReplicaTimes * usual;
  const track = own.tracks.get('duration');
  return runsWhere(track, series, servingPatterns.servingLastsSeconds, ({ slice, mean }) =>
    isSlow(mean, usualAt(slice)),
  ).flatMap((run) => {
    if (readingsIn(own, 'duration', run) < servingPatterns.leastReplicaRequests) return [];
    const { service, model, tracks } = series;
    const usual = median(run.slices.flatMap((slice) => usualAt(slice) ?? []));
    const first = track!.levels[0]!;
    return [
      {
        service,
        model,
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        figures: {
          rule: 'replica-unlike-peers',
          replica,
          own: meanIn(own, 'duration', run),
          usual,
          peers: peers.length,
        },
        evidence: [{ quantity: 'duration', refs: refsOf(own, 'duration', run) }],
        missing: lacks(
          tracks.has('busy') || tracks.has('waiting'),
          'gpu',
          'neither load of GPUs nor queues were recorded: a slow device and more work look the same',
        ),
        isNew: first.slice < run.slices[0]! && isSlow(first.mean, usualAt(first.slice)) === false,
      },
    ];
  });
}
