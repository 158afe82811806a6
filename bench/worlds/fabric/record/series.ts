import type { Scene } from './scene.ts';

/** A series of an exporter, to be sampled. */
export interface Series {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly labels: Readonly<Record<string, string>>;
  /** Value at a moment; undefined: the exporter does not answer. */
  readonly at: (at_s: number) => number | undefined;
}

const MOST_POINTS = 90_000;

/** Samples at the recorder's step; sites of many series are kept with longer steps, as long ranges are downsampled. */
export function sampled(
  scene: Scene,
  recorder: string,
  list: readonly Series[],
  most = MOST_POINTS,
): { readonly series: Series; readonly points: readonly (readonly [ms: number, value: number])[] }[] {
  const chance = scene.chance(`step ${recorder}`);
  let step_s = chance.pick([1, 5, 10, 15, 15, 30, 30, 60]);
  while (step_s < 60 && (list.length * scene.site.seconds) / step_s > most) step_s = Math.min(60, step_s * 2);
  const kept = list.slice(0, Math.max(1, Math.floor((most * step_s) / scene.site.seconds)));
  const begin_s = chance.next() * step_s;
  const loss = chance.pick([0, 0, 0.01, 0.05]);
  const offset_s = scene.offsets.get(recorder) ?? 0;
  return kept.map((series) => {
    const points: (readonly [number, number])[] = [];
    for (let at_s = begin_s; at_s < scene.site.seconds; at_s += step_s) {
      const value = series.at(at_s);
      if (value !== undefined && !chance.is(loss)) points.push([Math.round(scene.ms(at_s + offset_s)), value]);
    }
    return { series, points };
  });
}

const shown = (value: number): string => String(Number(value.toPrecision(6)));

/** The answer of a range query, or a dump of the text format with times. */
export function writeSeries(scene: Scene, path: string, recorder: string, list: readonly Series[]): void {
  const found = sampled(scene, recorder, list).filter(({ points }) => points.length > 0);
  if (found.length === 0) return;
  if (scene.chance(`form ${recorder}`).is(0.5)) {
    const result = found.map(({ series: { name, labels }, points }) => ({
      metric: { __name__: name, ...labels },
      values: points.map(([ms, value]) => [ms / 1000, shown(value)]),
    }));
    scene.add(`${path}.json`, [JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } })]);
    return;
  }
  const lines: string[] = [];
  for (const [name, own] of Map.groupBy(found, ({ series }) => series.name)) {
    lines.push(`# TYPE ${name} ${own[0]!.series.type}`);
    for (const { series, points } of own) {
      const labels = Object.entries(series.labels)
        .map(([key, value]) => `${key}="${value}"`)
        .join(',');
      for (const [ms, value] of points) lines.push(`${name}{${labels}} ${shown(value)} ${ms}`);
    }
  }
  scene.add(`${path}.prom`, lines);
}
