import { type GlyphSprites, SPRITE_PX, traceGlyph } from './event-marks.ts';
import type { Palette } from './tokens.ts';

/**
 * Every glyph drawn once per theme and pixel ratio. Three thousand rings as one stroked path take a software
 * canvas 40 ms per frame; copied as images, 4 ms.
 */
export function makeGlyphSprites(palette: Palette, pixelRatio: number): GlyphSprites {
  const sprite = (severity: 0 | 1 | 2 | 3, size: number): HTMLCanvasElement => {
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(SPRITE_PX * pixelRatio);
    canvas.height = canvas.width;
    const pen = canvas.getContext('2d');
    if (!pen) return canvas;
    pen.scale(pixelRatio, pixelRatio);
    pen.fillStyle = palette.severity[severity];
    pen.strokeStyle = palette.severity[severity];
    pen.lineWidth = 1.5;
    pen.beginPath();
    traceGlyph(pen, severity, SPRITE_PX / 2, SPRITE_PX / 2, size);
    if (severity === 3) pen.stroke();
    else pen.fill();
    return canvas;
  };
  const all = [0, 1, 2, 3] as const;
  return { small: all.map((severity) => sprite(severity, 4)), large: all.map((severity) => sprite(severity, 5)) };
}
