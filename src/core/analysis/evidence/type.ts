import { severities } from '../../../model/entity.ts';
import { readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Prior knowledge of events of this type. */
export const rootType = defineKind<{ readonly type: string; readonly isRoot: boolean }>({
  id: 'root_type',
  sign: 1,
  judgement: 1,
  least: 1.8,
  most: 2.5,
  text: ({ type, isRoot }) =>
    `${readableType(type)} ${isRoot ? 'is known to start incidents' : 'is usually an effect or harmless'}`,
});

export const severity = defineKind<{ readonly severity: number }>({
  id: 'severity',
  sign: 1,
  judgement: 0.5,
  text: (parameters) => `reported as ${severities[parameters.severity] ?? 'unknown severity'}`,
});
