import type { Annotation, AnnotationOf } from './annotation.ts';

/** What people call the degrees of an incident; free text is allowed beside them. */
export const incidentSeverities = ['SEV1', 'SEV2', 'SEV3', 'SEV4'] as const;
export const actionPriorities = ['P0', 'P1', 'P2', 'P3'] as const;

/** What the investigator stated about an incident; '' is not set. The last statement counts. */
export const headingOf = (annotations: readonly Annotation[], incident: string): AnnotationOf<'heading'> | null =>
  annotations.findLast((one): one is AnnotationOf<'heading'> => one.kind === 'heading' && one.incident === incident) ??
  null;

/** The action items of an incident, in the order in which they were added. */
export const actionsOf = (annotations: readonly Annotation[], incident: string): AnnotationOf<'action'>[] =>
  annotations.filter((one): one is AnnotationOf<'action'> => one.kind === 'action' && one.incident === incident);
