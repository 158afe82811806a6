import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import { meanIn, type Run, readingsIn, refsOf, runsWhere } from '../../serving/runs.ts';
import { type ServiceSeries, type ServingTracks, Track } from '../../serving/service-series.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Requests take much longer on one replica than on its peers at the same time. */
export const replicaUnlikePeers: ServingRule = {
  id: 'replica-unlike-peers',
  find: (series) => {
    const all = [...series.replicas].map(([name, { tracks }]) => ({ name, tracks, served: servedTime(tracks) }));
    // A replica that got more requests by chance is not slower: they wait longer there.
    const timed = all.filter(({ tracks }) => tracks.has('duration'));
    const isServed = timed.length > 0 && timed.every(({ served }) => served);
    const replicas = timed.map(({ name, tracks, served }) => ({
      name,
      tracks: isServed ? new Map([...tracks, ['duration', served!] as const]) : tracks,
    }));
    return replicas.flatMap((own) =>
      slowTimes(series, own, { peers: replicas.filter(({ name }) => name !== own.name), isServed }),
    );
  },
};

/** Time of requests without that in the queue; undefined: one of them was not recorded. */
function servedTime(tracks: ServingTracks['tracks']): Track | undefined {
  const [duration, wait] = [tracks.get('duration'), tracks.get('queue_wait')];
  if (!duration || !wait) return undefined;
  const levels = duration.levels.flatMap((level) => {
    const waited = wait.at(level.slice)?.mean;
    return waited === undefined ? [] : [{ ...level, mean: Math.max(0, level.mean - waited) }];
  });
  return levels.length > 0 ? new Track(levels) : undefined;
}

interface Replica extends ServingTracks {
  readonly name: string;
}
interface Peers {
  readonly peers: readonly Replica[];
  readonly isServed: boolean;
}

function slowTimes(series: ServiceSeries, own: Replica, { peers, isServed }: Peers): ServingCondition[] {
  if (peers.length + 1 < servingPatterns.leastReplicas) return [];
  const usualAt = (slice: number): number | undefined => {
    const levels = peers.flatMap(({ tracks }) => tracks.get('duration')?.at(slice) ?? []);
    return levels.length + 1 < servingPatterns.leastReplicas ? undefined : median(levels.map(({ mean }) => mean));
  };
  const usualIn = ({ slices }: Pick<Run, 'slices'>): number => median(slices.flatMap((slice) => usualAt(slice) ?? []));
  const isSlow = (mean: number, usual: number | undefined): boolean | undefined =>
    usual === undefined ? undefined : mean >= servingPatterns.slowReplicaTimes * usual;
  const track = own.tracks.get('duration');
  const runs = runsWhere(track, series, servingPatterns.servingLastsSeconds, ({ slice, mean }) =>
    isSlow(mean, usualAt(slice)),
  );
  const isSlowRun = (run: Run): boolean => isSlow(meanIn(own, 'duration', run), usualIn(run)) === true;
  return joined(runs, track, isSlowRun).flatMap((run) => {
    if (readingsIn(own, 'duration', run) < servingPatterns.leastReplicaRequests) return [];
    const { service, model, tracks } = series;
    const first = track!.levels[0]!;
    return [
      {
        service,
        model,
        start_ns: run.start_ns,
        end_ns: run.end_ns,
        figures: {
          rule: 'replica-unlike-peers',
          replica: own.name,
          own: meanIn(own, 'duration', run),
          usual: usualIn(run),
          peers: peers.length,
          isServed,
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

/** A replica with few requests is slow with interruptions: runs are one if it is slow on the whole from the first to the last of them. */
function joined(runs: readonly Run[], track: Track | undefined, isSlow: (run: Run) => boolean): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const before = all.at(-1);
    const [from, to] = [before?.slices[0] ?? 0, run.slices.at(-1)!];
    const slices = (track?.levels ?? []).flatMap(({ slice }) => (slice >= from && slice <= to ? [slice] : []));
    const whole = before && { start_ns: before.start_ns, end_ns: run.end_ns, slices };
    if (whole && isSlow(whole)) all[all.length - 1] = whole;
    else all.push(run);
  }
  return all;
}
