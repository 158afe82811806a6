import { READING_S } from '../simulate.ts';
import type { Scene } from './scene.ts';

type Values = readonly (readonly [at: number, value: string])[];

/** Processors of a machine of this world. */
const CORES = 96;

/**
 * Range queries of Prometheus: node_exporter's load, cAdvisor's processor time of other teams' pods, and the counters of
 * the uplinks as snmp_exporter names them (IF-MIB).
 */
export function recordHosts(scene: Scene): void {
  const { site, cpus, leaves, journal } = scene.run;
  const step = scene.chance('hosts').pick([3, 6, 12]);
  const clock = scene.clock('prometheus');
  const series = (labels: Record<string, string>, value: (at: number) => number) => {
    const values: (readonly [number, string])[] = [];
    for (let at = 0; at < site.seconds / READING_S; at += step) {
      const now = value(at);
      if (!Number.isNaN(now))
        values.push([Math.round(site.start_ms + clock.shows(at * READING_S) * 1000) / 1000, now.toFixed(2)]);
    }
    return { metric: labels, values: values as Values };
  };
  const result = [...cpus].map(([i, { used }]) =>
    series({ __name__: 'node_load1', instance: `${scene.server(i)}:9100`, job: 'node' }, (at) => used[at]! * CORES),
  );
  for (const happening of journal) {
    if (happening.what !== 'stranger_started' || happening.server === undefined) continue;
    const stolen = cpus.get(happening.server)?.stolen;
    scene.keep(happening);
    const labels = {
      __name__: 'container_cpu_usage_seconds_total',
      namespace: 'batch',
      pod: happening.subject.id,
      node: scene.server(happening.server),
      container: 'main',
    };
    let seconds = 0;
    let counted = 0;
    result.push(
      series(labels, (at) => {
        for (; counted <= at; counted++) seconds += CORES * READING_S * (stolen?.[counted] ?? 0);
        return at * READING_S < happening.at_s ? Number.NaN : seconds;
      }),
    );
  }
  leaves.forEach((load, i) => {
    const { name, uplink_gbps } = site.leaves[i]!;
    const labels = { instance: name, ifName: 'uplink1', ifIndex: '49', job: 'snmp' };
    const sent = counter(load, (one) => (Math.min(1, one) * uplink_gbps * 1e9) / 8);
    const lost = counter(load, (one) => (Math.max(0, one - 1) * uplink_gbps * 1e9) / 8 / 1500);
    result.push(
      series({ __name__: 'ifHCOutOctets', ...labels }, sent),
      series({ __name__: 'ifOutDiscards', ...labels }, lost),
    );
  });
  for (const happening of journal) if (happening.what === 'uplink_full') scene.keep(happening);
  scene.files.set('prometheus.json', JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }));
}

/** A counter that starts anew when its switch does; missing while it is away. */
function counter(load: Float32Array, perSecond: (load: number) => number): (at: number) => number {
  let sum = 0;
  let counted = 0;
  return (at) => {
    for (; counted <= at; counted++)
      sum = Number.isNaN(load[counted]!) ? 0 : sum + READING_S * perSecond(load[counted]!);
    return Number.isNaN(load[at]!) ? Number.NaN : Math.round(sum);
  };
}
