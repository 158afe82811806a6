import type { ReportBlock } from '../../../model/incident/report-document.ts';
import { remark } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';

/** What no record states: sections that people write, with what they are asked. */
const asked = {
  went_well: ['What went well', 'what limited the impact, and what helped to find the cause?'],
  went_badly: ['What went badly', 'what made it worse, or delayed detection, diagnosis or repair?'],
  lucky: ['Where we got lucky', 'what could have made it worse, and did not only by chance?'],
  lessons: ['Lessons', 'what do we know now that we did not know before?'],
  resolution_done: ['What was done', 'who did what to end the impact, and what did not help?'],
  known_when: [
    'What people knew, and what they did',
    'for each decision: what was known at that time, and why did it make sense then?',
  ],
  customer_cause: ['What happened', 'the cause in words that customers know, without internal names.'],
  customer_done: ['What was done', 'what ended the impact?'],
  customer_next: ['What will be done', 'what will keep it from happening again, and by when?'],
  rma_tests: [
    'Tests and repairs',
    'which diagnostics ran, with which result, and what was reseated, reset or swapped?',
  ],
  rma_request: ['Request', 'support contract, contact, shipping address, and what is asked for.'],
} as const;
export type AskedId = keyof typeof asked;

export interface AskedSection {
  readonly id: AskedId;
  readonly title: string;
  readonly blocks: ReportBlock[];
}

/**
 * Sections for people to write: nothing computed stands there. The question is put to the owner of the incident by name, if it has one.
 * @param isWritten whether somebody wrote that section, so that nothing is asked any more
 */
export const askedSections = (
  ids: readonly AskedId[],
  { isWritten, heading }: { readonly isWritten: (id: string) => boolean; readonly heading: IncidentFacts['heading'] },
): AskedSection[] =>
  ids.map((id) => {
    const [title, question] = asked[id];
    const by = heading?.owner ? ` by ${heading.owner}` : '';
    return { id, title, blocks: isWritten(id) ? [] : [remark(`To be written${by}: ${question}`)] };
  });
