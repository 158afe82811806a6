import { type Annotation, annotationRef, annotationWords } from '../../model/annotation.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { escapeMarkdown } from './words.ts';

/** What the investigator's words change in the map and in the clocks stands first: the conclusions rest on it. */
const order: readonly Annotation['kind'][] = [
  'edge',
  'clock',
  'judgement',
  'stamp',
  'note',
  'arrow',
  'group',
  'region',
  'query',
];

/** The section on what the investigator added, in the order of making within each kind; null when nothing was added. */
export function investigatorSection(annotations: readonly Annotation[], cite: (ref: string) => string): string | null {
  if (annotations.length === 0) return null;
  const sorted = order.flatMap((kind) => annotations.filter((annotation) => annotation.kind === kind));
  const lines = sorted.map((annotation) => {
    const words = annotation.text === '' ? '' : `: ${escapeMarkdown(annotation.text)}`;
    return `- ${escapeMarkdown(kindWords[annotation.kind])} ${escapeMarkdown(annotationWords(annotation))}${when(annotation)}${words} ${cite(annotationRef(annotation.id))}`;
  });
  return `## What the investigator added\n\nNot recorded by any source.\n\n${lines.join('\n')}`;
}

const kindWords: Readonly<Record<Annotation['kind'], string>> = {
  edge: 'Link:',
  clock: 'Clock:',
  judgement: 'Verdict:',
  stamp: 'Stamp:',
  note: 'Note about',
  arrow: 'Arrow from',
  group: 'Group of',
  region: 'Region:',
  query: 'Query',
};

function when({ at_ns, until_ns }: Annotation): string {
  const time = (ns: bigint): string => formatUtc(nanos(ns));
  if (at_ns === null) return until_ns === null ? '' : ` (until ${time(until_ns)})`;
  return until_ns === null ? ` (from ${time(at_ns)})` : ` (${time(at_ns)} to ${time(until_ns)})`;
}
