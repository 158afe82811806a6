import type { Sprite } from '../canvas/pixel-layer.ts';
import type { Palette } from '../canvas/tokens.ts';
import { type GlyphSprites, SPRITE_PX, traceGlyph } from './event-marks.ts';

/**
 * Every glyph, drawn once per theme and pixel ratio. On a software canvas, three hundred take 2.3 ms as images and more as
 * paths; copying them into the pixel layer takes 0.2 ms.
 */
export function makeGlyphSprites(palette: Palette, pixelRatio: number): GlyphSprites {
  const sprite = (severity: 0 | 1 | 2 | 3, size: number): Sprite => {
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(SPRITE_PX * pixelRatio);
    canvas.height = canvas.width;
    const side = canvas.width;
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    if (!pen) return { side: 0, pixels: new Uint32Array(0) };
    pen.scale(pixelRatio, pixelRatio);
    pen.beginPath();
    traceGlyph(pen, severity, SPRITE_PX / 2, SPRITE_PX / 2, size);
    // A rim in the background colour separates it from columns and bars.
    pen.strokeStyle = palette.surface;
    pen.lineWidth = severity === 3 ? 3.5 : 2.5;
    pen.stroke();
    pen.fillStyle = palette.severity[severity];
    pen.strokeStyle = palette.severity[severity];
    pen.lineWidth = 1.5;
    if (severity === 3) pen.stroke();
    else pen.fill();
    return { side, pixels: new Uint32Array(pen.getImageData(0, 0, side, side).data.buffer) };
  };
  const all = [0, 1, 2, 3] as const;
  return { small: all.map((severity) => sprite(severity, 4)), large: all.map((severity) => sprite(severity, 5)) };
}
