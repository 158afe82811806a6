import type { PartView } from '../../../model/contract/index.ts';
import type { ReportSection } from '../../../model/incident/report-document.ts';
import type { ReportTemplate } from '../../../model/incident/report-template.ts';
import { assembleReport, type ReportDraft, section, titleOf } from '../document.ts';
import { fact, sentences } from '../facts.ts';
import { incidentFigures } from '../figures/incident-figures.ts';
import type { ReportInput } from '../report-input.ts';
import { noIncidentBlocks } from '../sections/case-wide.ts';
import { customerSections, customerTitle } from './customer.ts';
import { blamelessSections, sreSections, type TemplateInput } from './review.ts';
import { rmaSections } from './rma.ts';

export interface TemplateOptions {
  readonly template: ReportTemplate;
  /** Hardware with its history, for `rma`. */
  readonly parts: readonly PartView[];
}

/** A report in the form of a template: one document of one incident, or for `rma` of the case. */
export function draftTemplate(input: ReportInput, { template, parts }: TemplateOptions): ReportDraft {
  const [facts, ...others] = input.incidents;
  const name = titleOf(input.incidents) ?? input.info.name;
  if (template === 'rma')
    return assembleReport(input, {
      title: `Return request: ${name}`,
      sections: rmaSections({ input, facts: facts ?? null, parts }),
      figures: [],
    });
  if (!facts)
    return assembleReport(input, { title: `Report: ${name}`, sections: [nothing(input, template)], figures: [] });
  const figures = template === 'customer' ? [] : incidentFigures(facts);
  const given: TemplateInput = { input, members: [facts, ...others], figures };
  switch (template) {
    case 'sre':
      return assembleReport(input, { title: `Postmortem: ${name}`, sections: sreSections(given), figures });
    case 'blameless':
      return assembleReport(input, { title: `Review: ${name}`, sections: blamelessSections(given), figures });
    case 'customer':
      return assembleReport(input, { title: customerTitle(given.members), sections: customerSections(given), figures });
  }
}

/** Customers learn nothing of what else was found. */
const nothing = (input: ReportInput, template: ReportTemplate): ReportSection =>
  template === 'customer'
    ? section('customer_summary', 'Summary', [sentences(fact('No impact on a service was measured.', []))])
    : section('summary', 'Summary', noIncidentBlocks(input));
