import { useEffect, useRef } from 'react';
import { PixelLayer, pixelColor } from '../draw/canvas/pixel-layer.ts';
import { sizeCanvas } from '../draw/canvas/size-canvas.ts';
import { readPalette } from '../draw/canvas/tokens.ts';
import { drawHeatMap, type HeatMap, heatShades } from '../draw/timeline/heat-map.ts';
import { useTheme } from '../state/preferences.ts';

interface HeatCellsProps extends HeatMap {
  readonly width: number;
  readonly height: number;
}

/** The cells of a heat map, drawn in the colours of the theme. */
export function HeatCells({ values, buckets, order, rowPx, range, width, height }: HeatCellsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has a new palette
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen || !canvas.current) return;
    const palette = readPalette(document.documentElement);
    sizeCanvas(canvas.current, width, height, devicePixelRatio);
    const layer = new PixelLayer();
    layer.reset(width, height, devicePixelRatio);
    const map = { values, buckets, order, rowPx, range };
    const { heat, gap, stood } = palette;
    drawHeatMap(layer, map, { shades: heatShades(heat), gap: pixelColor(gap), stood: pixelColor(stood) });
    pen.clearRect(0, 0, width, height);
    layer.paintOnto(pen);
  }, [values, buckets, order, width, height, rowPx, range, theme]);
  return <canvas ref={canvas} />;
}
