import { visibleText } from '../../../base/visible-text.ts';
/**
 * Figures as SVG text, without a DOM: light, in print as on screen, with no font to fetch. Colours are those of the light
 * theme; each has a second channel (a label, a dash, a shape).
 */
export const ink = {
  paper: '#ffffff',
  text: '#1b2128',
  muted: '#5c6672',
  hairline: '#dfe3e8',
  accent: '#0a66c2',
  critical: '#c02626',
  impact: '#fbe9e9',
  quiet: '#f6f7f9',
} as const;

export const escapeXml = (text: string): string =>
  visibleText(
    // XML 1.0 has no way to write these.
    text.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}'),
  )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** To a tenth of a pixel: the same on every machine, and small. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** A long name keeps its end, where names differ. */
export const shorten = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, Math.ceil(most / 3))}…${text.slice(text.length - Math.floor((most * 2) / 3) + 1)}`;

interface Frame {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
}

/** A self-contained document with a text description of what it shows. */
export function svgDocument({ id, title, description, width, height }: Frame, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-t ${id}-d" font-family="Inter, system-ui, sans-serif" font-size="11">`,
    `<title id="${id}-t">${escapeXml(title)}</title>`,
    `<desc id="${id}-d">${escapeXml(description)}</desc>`,
    `<rect width="${width}" height="${height}" fill="${ink.paper}"/>`,
    ...body,
    '</svg>',
  ].join('\n');
}

interface TextStyle {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly fill?: string;
  readonly bold?: boolean;
  /** Edged in paper, to be read over lines. */
  readonly halo?: boolean;
}

export function label(x: number, y: number, text: string, style: TextStyle = {}): string {
  const { anchor, fill = ink.text, bold, halo } = style;
  const edge = halo ? ` stroke="${ink.paper}" stroke-width="3" paint-order="stroke"` : '';
  const place = anchor && anchor !== 'start' ? ` text-anchor="${anchor}"` : '';
  return `<text x="${px(x)}" y="${px(y)}" fill="${fill}"${edge}${place}${bold ? ' font-weight="600"' : ''}>${escapeXml(text)}</text>`;
}

export const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, more = ''): string =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${stroke}"${more}/>`;

/** Along the axes, with a head at its end: diagonals cross names. */
export function arrow(points: readonly (readonly [number, number])[], stroke: string, more = ''): string {
  const path = points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('');
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = points.slice(-2);
  const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  const head = [
    `${px(x2)},${px(y2)}`,
    `${px(x2 - 6 * dx - 4 * dy)},${px(y2 - 6 * dy - 4 * dx)}`,
    `${px(x2 - 6 * dx + 4 * dy)},${px(y2 - 6 * dy + 4 * dx)}`,
  ].join(' ');
  return `<path d="${path}" fill="none" stroke="${stroke}"${more}/><polygon points="${head}" fill="${stroke}"/>`;
}

export const rect = (x: number, y: number, width: number, height: number, more: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(Math.max(0, width))}" height="${px(height)}" ${more}/>`;

/** Linear, from values to pixels. */
export const scale =
  ([from, to]: readonly [number, number], [low, high]: readonly [number, number]) =>
  (value: number): number =>
    to === from ? (low + high) / 2 : low + ((value - from) / (to - from)) * (high - low);

/** At most about `most` round steps over a span. */
export function ticks([from, to]: readonly [number, number], most: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}
