import type { Layer } from '../../../model/entity.ts';
import { layers } from '../../../model/entity.ts';

/** The colours of the stylesheet as strings for a canvas, read once per theme. */
export interface Palette {
  readonly surface: string;
  readonly panel: string;
  readonly hairline: string;
  readonly edge: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  readonly selection: string;
  readonly hover: string;
  readonly line: string;
  readonly band: string;
  readonly gap: string;
  /** What was recorded, and completed nothing. */
  readonly stood: string;
  /** Five colours from low to high. */
  readonly heat: readonly string[];
  readonly plate: string;
  readonly spanDensity: string;
  readonly eventDensity: string;
  readonly impact: string;
  readonly impactFaint: string;
  readonly impactFringe: string;
  readonly impactEdge: string;
  /** By severity number: critical, high, medium, low. */
  readonly severity: readonly [string, string, string, string];
  readonly layer: Readonly<Record<Layer, string>>;
  /** Distinguishes entities of one kind, such as services; always with their names. */
  readonly series: readonly string[];
  readonly onSeries: string;
  readonly font: string;
  readonly smallFont: string;
  readonly badgeFont: string;
}

/** The number of series colours in tokens.css. */
export const SERIES = 8;

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const family = read('font');
  return {
    surface: read('surface'),
    panel: read('panel'),
    hairline: read('hairline'),
    edge: read('edge'),
    text: read('text'),
    muted: read('muted'),
    accent: read('accent'),
    selection: read('selection'),
    hover: read('hover'),
    line: read('line'),
    band: read('band'),
    gap: read('gap'),
    stood: read('stood'),
    heat: [0, 1, 2, 3, 4].map((step) => read(`heat-${step}`)),
    plate: read('plate'),
    spanDensity: read('span-density'),
    eventDensity: read('event-density'),
    impact: read('impact'),
    impactFaint: read('impact-faint'),
    impactFringe: read('impact-fringe'),
    impactEdge: read('impact-edge'),
    severity: [read('critical'), read('high'), read('medium'), read('low')],
    layer: Object.fromEntries(layers.map((layer) => [layer, read(`layer-${layer}`)])) as Record<Layer, string>,
    series: Array.from({ length: SERIES }, (_, at) => read(`series-${at + 1}`)),
    onSeries: read('on-series'),
    font: `12px ${family}`,
    smallFont: `11px ${family}`,
    badgeFont: `600 11px ${family}`,
  };
}

export const layerColor = (palette: Palette, layer: string): string => palette.layer[layer as Layer] ?? palette.muted;
