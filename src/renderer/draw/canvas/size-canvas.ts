/** Sizes a canvas in CSS pixels, with device pixels inside. Setting the size clears it, so an unchanged size is skipped. */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): void {
  const wide = Math.max(1, Math.round(width * ratio));
  const tall = Math.max(1, Math.round(height * ratio));
  if (canvas.width === wide && canvas.height === tall) return;
  canvas.width = wide;
  canvas.height = tall;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0);
}
