import type { Annotation, Judgement } from './annotation-schema.ts';
import { shortList } from './chain-folds.ts';

export type { Annotation, AnnotationChange, Stamp } from './annotation-schema.ts';

/** As people read them. */
export const judgementTexts: Readonly<Record<Judgement, string>> = {
  accepted: 'confirmed',
  rejected: 'ruled out',
  noted: 'noted',
};

export type AnnotationKind = Annotation['kind'];
export type AnnotationOf<K extends AnnotationKind> = Extract<Annotation, { kind: K }>;

export const annotationRef = (annotation: string): string => `annotation:${annotation}`;

/** How a hypothesis is named in a judgement. */
export const hypothesisKey = (subject: { readonly kind: string; readonly id: string } | null, type: string): string =>
  subject ? `${subject.kind}:${subject.id} ${type}` : type;

/** What it is about, for people: `PDU-B feeds node-7 added`. */
export function annotationText(annotation: Annotation): string {
  const entityId = (name: string): string => name.slice(name.indexOf(':') + 1);
  switch (annotation.kind) {
    case 'note':
      return `${annotation.target === null ? 'a moment' : annotation.target.replace(/^entity:/, '')}${annotation.severity ? ` (${annotation.severity})` : ''}`;
    case 'arrow':
      return `${entityId(annotation.from)} to ${entityId(annotation.to)}`;
    case 'group':
      return shortList(annotation.members.map(entityId));
    case 'stamp':
      return `${entityId(annotation.target)} ${annotation.stamp}`;
    case 'region':
      return `a region of the ${annotation.map} map`;
    case 'edge': {
      const link = `${entityId(annotation.from)} ${annotation.edge.replace('_', ' ')} ${entityId(annotation.to)}`;
      return `${link}, ${annotation.change === 'add' ? 'added' : 'taken away'}`;
    }
    case 'clock':
      return `clock of ${annotation.name} set to ${annotation.seconds < 0 ? '' : '+'}${annotation.seconds} s ± ${annotation.uncertainty_s} s`;
    case 'query':
      return `${annotation.lane === null ? 'saved' : 'saved, and drawn as a lane'}: ${annotation.sql.replaceAll(/\s+/g, ' ').trim()}`;
    case 'search':
      return `as a lane: ${annotation.query.replaceAll(/\s+/g, ' ').trim()}`;
    case 'prose':
      return annotation.section.replace('/', ', ').replaceAll('_', ' ');
    case 'judgement':
      return `${hypothesisText(annotation.hypothesis)} ${judgementTexts[annotation.judgement]}`;
    case 'heading':
      return [annotation.severity, annotation.owner].filter(Boolean).join(', ') || annotation.incident;
    case 'action':
      return (
        [annotation.owner, annotation.priority, annotation.due, annotation.ticket].filter(Boolean).join(', ') ||
        annotation.incident
      );
  }
}

/** `pdu:PDU-B voltage_sag` as text. */
function hypothesisText(key: string): string {
  const at = key.lastIndexOf(' ');
  const type = key.slice(at + 1).replaceAll('_', ' ');
  return at < 0 ? type : `${type} on ${key.slice(key.indexOf(':') + 1, at)}`;
}
