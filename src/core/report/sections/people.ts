import type { ReportBlock } from '../../../model/incident/report-document.ts';
import { remark } from '../facts.ts';

/** What no record states: sections that people write, in their order, with what they are asked. */
const asked = [
  ['went_well', 'What went well', 'what limited the impact, and what helped to find the cause?'],
  ['went_badly', 'What went badly', 'what made it worse, or delayed detection, diagnosis or repair?'],
  ['lessons', 'Lessons', 'what do we know now that we did not know before?'],
] as const;

export interface AskedSection {
  readonly id: (typeof asked)[number][0];
  readonly title: string;
  readonly blocks: ReportBlock[];
}

/** @param isWritten whether somebody wrote that section, so that nothing is asked any more */
export const askedSections = (isWritten: (id: string) => boolean): AskedSection[] =>
  asked.map(([id, title, question]) => ({
    id,
    title,
    blocks: isWritten(id) ? [] : [remark(`To be written: ${question}`)],
  }));
