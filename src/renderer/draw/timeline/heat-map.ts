import { type PixelLayer, pixelColor } from '../canvas/pixel-layer.ts';

const SHADES = 64;

/** Colours from low to high, interpolated between the stops of the theme. */
export function heatShades(stops: readonly string[]): Uint32Array {
  const words = stops.map((stop) => pixelColor(stop));
  return Uint32Array.from({ length: SHADES }, (_, shade) => {
    const place = (shade / (SHADES - 1)) * (words.length - 1);
    const at = Math.min(words.length - 2, Math.floor(place));
    return mixed(words[at]!, words[at + 1]!, place - at);
  });
}

function mixed(one: number, other: number, part: number): number {
  let word = 0;
  for (const shift of [0, 8, 16, 24]) {
    const [a, b] = [(one >>> shift) & 255, (other >>> shift) & 255];
    word |= Math.round(a + (b - a) * part) << shift;
  }
  return word >>> 0;
}

/** Of more cells, so many are looked at for the ends of the scale: sorting 400,000 holds up the first picture. */
const MOST_SORTED = 20_000;
/** Of these, enough for a share of 0.5 %. */
const FEWEST_KNOWN = 2000;

/** Ends of the colour scale. One outlier must not make all others look alike; it is clamped to the end. */
export function heatRange(values: Float64Array): readonly [number, number] {
  const some = knownOf(spread(values));
  const known = (some.length < FEWEST_KNOWN ? knownOf(values) : some).sort();
  if (known.length === 0) return [0, 1];
  const at = (share: number): number => known[Math.round(share * (known.length - 1))]!;
  const [low, high] = [at(0.005), at(0.995)];
  return low === high ? [low - 1, high + 1] : [low, high];
}

const knownOf = (values: Float64Array): Float64Array => values.filter((value) => Number.isFinite(value));

/** At uneven distances: even ones could take the same bucket of each row. */
function spread(values: Float64Array): Float64Array {
  if (values.length <= MOST_SORTED) return values;
  const step = values.length / MOST_SORTED;
  const some = new Float64Array(MOST_SORTED);
  for (let at = 0; at < MOST_SORTED; at++) some[at] = values[Math.floor((at + ((at * 7919) % 997) / 997) * step)]!;
  return some;
}

export interface HeatMap {
  /** Row by row; NaN: not recorded; Infinity: recorded, and nothing was completed. */
  readonly values: Float64Array;
  readonly buckets: number;
  /** Visible rows from the top. */
  readonly order: readonly number[];
  readonly rowPx: number;
  readonly range: readonly [number, number];
}

/** Words of pixels, as {@link pixelColor} makes them. */
export interface HeatColors {
  /** From low to high. */
  readonly shades: Uint32Array;
  /** Stripes of values that were not recorded. */
  readonly gap: number;
  /** Of infinite values. */
  readonly stood: number;
}

/** Draws at the full width of the layer; values that were not recorded are hatched. */
export function drawHeatMap(layer: PixelLayer, map: HeatMap, { shades, gap, stood }: HeatColors): void {
  const { values, buckets, order, rowPx, range } = map;
  const step = layer.width / buckets;
  const tall = rowPx * layer.pixelRatio;
  const seam = tall >= 6 ? Math.max(1, Math.round(layer.pixelRatio)) : 0;
  const scale = (shades.length - 1) / (range[1] - range[0]);
  for (const [place, row] of order.entries()) {
    const top = Math.round(place * tall);
    const bottom = Math.max(top + 1, Math.round((place + 1) * tall) - seam);
    for (let at = 0; at < buckets; at++) {
      const value = values[row * buckets + at]!;
      const [left, right] = [Math.round(at * step), Math.round((at + 1) * step)];
      if (Number.isNaN(value)) layer.hatch(left, top, right, bottom, gap);
      else if (value === Number.POSITIVE_INFINITY) layer.fill(left, top, right, bottom, stood);
      else {
        const shade = Math.min(shades.length - 1, Math.max(0, Math.round((value - range[0]) * scale)));
        layer.fill(left, top, right, bottom, shades[shade]!);
      }
    }
  }
}
