import { type PixelColors, pixelColor } from './pixel-layer.ts';
import type { Palette } from './tokens.ts';

const STACK_OPACITY = 0.32;
const BAND_OPACITY = 0.3;
const QUIET_OPACITY = 0.55;

export const pixelColors = (palette: Palette): PixelColors => ({
  line: pixelColor(palette.line),
  band: pixelColor(palette.band),
  density: pixelColor(palette.eventDensity),
  stacks: palette.severity.map((color) => pixelColor(color, STACK_OPACITY)),
  tones: [...palette.severity, palette.accent].map((color) => pixelColor(color, BAND_OPACITY)),
  edges: [...palette.severity, palette.accent].map((color) => pixelColor(color)),
  quiet: pixelColor(palette.muted, QUIET_OPACITY),
  gap: pixelColor(palette.gap),
});
