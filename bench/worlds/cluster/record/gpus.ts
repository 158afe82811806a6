import { type GpuSeries, READING_S } from '../simulate.ts';
import type { Scene } from './scene.ts';

/** DCGM field names, as dcgm-exporter has them, and how their values come out of a GPU's readings. */
type Field = readonly [name: string, value: (series: GpuSeries, at: number, full_w: number) => number];
const fields: readonly Field[] = [
  ['DCGM_FI_DEV_GPU_TEMP', ({ celsius }, at) => Math.round(celsius[at]!)],
  ['DCGM_FI_DEV_POWER_USAGE', ({ watts }, at) => Math.round(watts[at]! * 1000) / 1000],
  ['DCGM_FI_DEV_SM_CLOCK', ({ clock }, at) => Math.round((clock[at]! * 1980) / 15) * 15],
  ['DCGM_FI_DEV_GPU_UTIL', ({ util }, at) => Math.round(100 * util[at]!)],
  // 0x4 software power cap, 0x20 software thermal slowdown, 0x80 hardware power brake (nvml.h).
  [
    'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS',
    ({ flags }, at) => (flags[at]! & 1 ? 0x20 : 0) + (flags[at]! & 2 ? 0x4 : 0) + (flags[at]! & 4 ? 0x80 : 0),
  ],
];

/** A range query of Prometheus over what dcgm-exporter showed: readings of machines that are up, late by the scrape. */
export function recordGpus(scene: Scene): void {
  const { gpus, site } = scene.run;
  if (gpus.length === 0) return;
  const chance = scene.chance('gpus');
  const step = chance.pick(gpus.length > 64 ? [6, 12] : [2, 3, 6, 6, 12]);
  const wanted = fields.filter((_, k) => k < 2 || chance.is(0.75));
  const clock = scene.clock('prometheus');
  // A dashboard is exported for some machines, not for hundreds.
  const most = 96;
  const shown = gpus.length > most ? [...gpus.slice(0, most / 2), ...gpus.slice(-most / 2)] : gpus;
  const result = shown.flatMap((series) => {
    const { name, gpus: built, gpu_w } = site.servers[series.server]!;
    const { uuid, pci, index } = built[series.gpu]!;
    scene.links.push({ from: `server:${name}`, edge: 'contains', to: `gpu:${uuid}` });
    const labels = {
      Hostname: name,
      UUID: uuid,
      gpu: String(index),
      device: `nvidia${index}`,
      pci_bus_id: `0000${pci.toUpperCase()}.0`,
      instance: `${name}:9400`,
      job: 'dcgm',
    };
    const late_s = chance.between(0, step * READING_S);
    return wanted.map(([metric, value]) => ({
      metric: { __name__: metric, ...labels },
      values: valuesOf(
        scene,
        series,
        step,
        (at) => value(series, at, gpu_w),
        (at) => clock.shows(at * READING_S + late_s),
      ),
    }));
  });
  scene.gpus = true;
  scene.files.set('dcgm.json', JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }));
}

function valuesOf(
  scene: Scene,
  { flags }: GpuSeries,
  step: number,
  value: (at: number) => number,
  shows: (at: number) => number,
): (readonly [number, string])[] {
  const values: (readonly [number, string])[] = [];
  for (let at = 0; at < flags.length; at += step)
    if (!(flags[at]! & 8))
      values.push([Math.round(scene.run.site.start_ms + shows(at) * 1000) / 1000, String(value(at))]);
  return values;
}
