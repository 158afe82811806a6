import { endpointKey, isMembers, listOf, type Members, textOf } from './format.ts';

interface Side {
  readonly kind: string;
  readonly start: string;
  readonly end: string;
  /** Key of the address annotation that names the other side. */
  readonly other: string;
}
/** The annotations that mark the two sides of a call and of a message (zipkin-js `SPAN_V1.js`). */
const sides: readonly Side[] = [
  { kind: 'CLIENT', start: 'cs', end: 'cr', other: 'sa' },
  { kind: 'SERVER', start: 'sr', end: 'ss', other: 'ca' },
  { kind: 'PRODUCER', start: 'ms', end: '', other: 'ma' },
  { kind: 'CONSUMER', start: 'mr', end: '', other: 'ma' },
];
const core: ReadonlySet<string> = new Set(sides.flatMap(({ start, end }) => [start, end]));
const addresses: ReadonlySet<string> = new Set(sides.map(({ other }) => other));

export const isVersion1 = (span: Members): boolean =>
  'binaryAnnotations' in span ||
  listOf(span['annotations']).some((one) => isMembers(one) && isMembers(one['endpoint']));

/** A span of version 1 as spans of version 2: two when both sides of a call wrote into one. */
export function fromVersion1(span: Members): Members[] {
  const annotations = listOf(span['annotations']).filter(isMembers);
  const binary = listOf(span['binaryAnnotations']).filter(isMembers);
  const { annotations: _a, binaryAnnotations: _b, timestamp, duration, ...rest } = span;
  const found = sides.filter(({ start, end }) =>
    annotations.some(({ value }) => value === start || (end !== '' && value === end)),
  );
  const halves = (found.length > 0 ? found : [undefined]).map((side, index) => {
    const at = (value: string | undefined) => annotations.find((one) => value !== undefined && one['value'] === value);
    const from = at(side?.start);
    const to = at(side?.end);
    const own = from?.['endpoint'] ?? to?.['endpoint'];
    const start = from?.['timestamp'];
    // The span's own times are those of the side that began it.
    const first = index === 0;
    return {
      endpoint: own ?? [...annotations, ...binary.filter(({ key }) => !addresses.has(textOf(key)))][0]?.['endpoint'],
      kind: side?.kind,
      timestamp: (first ? timestamp : undefined) ?? start,
      duration: (first ? duration : undefined) ?? difference(start, to?.['timestamp']),
      remoteEndpoint: binary.find(({ key }) => side !== undefined && key === side.other)?.['endpoint'],
    };
  });
  const ownerOf = (endpoint: unknown): number =>
    Math.max(
      0,
      halves.findIndex((half) => endpointKey(half.endpoint) === endpointKey(endpoint)),
    );
  return halves.map(({ endpoint, ...half }, index) => ({
    ...rest,
    ...defined(half),
    localEndpoint: endpoint,
    annotations: annotations.filter(
      ({ value, endpoint: whose }) => !core.has(textOf(value)) && ownerOf(whose) === index,
    ),
    tags: Object.fromEntries(
      binary
        .filter(({ key, endpoint: whose }) => !addresses.has(textOf(key)) && ownerOf(whose) === index)
        .map(({ key, value }) => [textOf(key), value]),
    ),
  }));
}

const defined = (object: Members): Members =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

const difference = (from: unknown, to: unknown): number | undefined =>
  typeof from === 'number' && typeof to === 'number' && to >= from ? to - from : undefined;
