import { messages } from './messages.ts';

/** Style properties that the exported drawing needs without the stylesheet. */
const properties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'paint-order',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'letter-spacing',
] as const;

const PAD = 16;
/** Pixels of the image per unit of the map. */
const PIXELS = 2;
/** Chromium rejects larger canvases. */
const MOST_PIXELS = 16_000;

/**
 * The whole map as an SVG document without a stylesheet, wherever the camera is.
 * @param title title of the drawing for screen readers
 */
function drawingOf(
  svg: SVGSVGElement,
  title: string,
): { readonly text: string; readonly width: number; readonly height: number } {
  const drawing = svg.querySelector<SVGGElement>('[data-map]');
  if (!drawing) throw new Error('bug: the map has no drawing');
  const { x, y, width, height } = drawing.getBBox();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  inlineStyles(svg, copy);
  for (const name of ['transform', 'style']) copy.querySelector('[data-map]')?.removeAttribute(name);
  for (const element of copy.querySelectorAll('[tabindex], [role], [class], [data-node], [data-testid]'))
    for (const name of ['tabindex', 'role', 'aria-pressed', 'class', 'data-node', 'data-testid', 'data-map'])
      element.removeAttribute(name);
  for (const name of ['class', 'style', 'data-testid', 'data-tool']) copy.removeAttribute(name);
  const viewRect = { x: x - PAD, y: y - PAD, width: width + 2 * PAD, height: height + 2 * PAD };
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `${viewRect.x} ${viewRect.y} ${viewRect.width} ${viewRect.height}`);
  copy.setAttribute('width', String(Math.ceil(viewRect.width)));
  copy.setAttribute('height', String(Math.ceil(viewRect.height)));
  copy.setAttribute('role', 'img');
  copy.setAttribute('aria-label', title);
  copy.prepend(ground(viewRect), titleElement(title));
  return { text: new XMLSerializer().serializeToString(copy), width: viewRect.width, height: viewRect.height };
}

export function mapToSvg(svg: SVGSVGElement, title: string): Blob {
  return new Blob([drawingOf(svg, title).text], { type: 'image/svg+xml' });
}

/** The map as a PNG image. */
export async function mapToPng(svg: SVGSVGElement, title: string): Promise<Blob> {
  const { text, width, height } = drawingOf(svg, title);
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  const image = new Image();
  image.src = address;
  await image.decode();
  const scale = Math.min(PIXELS, MOST_PIXELS / width, MOST_PIXELS / height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(messages.export.tooLarge))), 'image/png');
  });
}

function inlineStyles(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const name of properties) to.setAttribute(name, style.getPropertyValue(name));
  const [sources, copies] = [from.children, to.children];
  for (let i = 0; i < sources.length; i++) inlineStyles(sources[i]!, copies[i]!);
}

function ground(viewRect: { x: number; y: number; width: number; height: number }): SVGRectElement {
  const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries(viewRect)) rect.setAttribute(name, String(value));
  rect.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  return rect;
}

function titleElement(title: string): SVGTitleElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'title');
  element.textContent = title;
  return element;
}
