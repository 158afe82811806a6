import { layers } from '../../src/model/entity.ts';
import type { Palette } from '../../src/renderer/draw/canvas/tokens.ts';

/** Colour names instead of colours, so that a test reads well. */
export const palette: Palette = {
  surface: 'surface',
  panel: 'panel',
  hairline: 'hairline',
  edge: 'edge',
  text: 'text',
  muted: 'muted',
  accent: 'accent',
  selection: 'selection',
  hover: 'hover',
  line: 'line',
  band: 'band',
  gap: 'gap',
  stood: 'stood',
  heat: ['#1d2350', '#2f5a8c', '#2f9a93', '#8fce63', '#fdf0a0'],
  plate: 'plate',
  spanDensity: 'spanDensity',
  eventDensity: 'eventDensity',
  impact: 'impact',
  impactFaint: 'impactFaint',
  impactFringe: 'impactFringe',
  impactEdge: 'impactEdge',
  severity: ['critical', 'high', 'medium', 'low'],
  layer: Object.fromEntries(layers.map((layer) => [layer, layer])) as Palette['layer'],
  series: ['series-1', 'series-2'],
  onSeries: 'on-series',
  font: '12px font',
  smallFont: '11px font',
  badgeFont: '600 11px font',
};
