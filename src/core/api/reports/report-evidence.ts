import type { EvidenceItem, ReportDocument } from '../../../model/incident/report-document.ts';
import { ProblemError } from '../../../model/problem.ts';
import { citedRefs, type ReportDraft, toEvidence, withUnread } from '../../report/document.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { readEvidence } from '../evidence/evidence.ts';
import { SharedFacts } from '../evidence/shared-facts.ts';

/** A report with the record behind every evidence id that it cites. Unreadable ones are listed and counted, without failing the report. */
export async function withEvidence(opened: OpenCase, draft: ReportDraft): Promise<ReportDocument> {
  const cited = citedRefs(draft);
  const refs = [...cited.facts, ...cited.prose];
  const shared = new SharedFacts(opened, refs);
  const read = await Promise.all(refs.map((ref) => readCited(opened, ref, shared)));
  const unread = read.flatMap(({ item, isUnread }) => (isUnread ? [item] : []));
  return { ...withUnread(draft, unread), evidence: read.map(({ item }) => item) };
}

async function readCited(
  opened: OpenCase,
  ref: string,
  shared: SharedFacts,
): Promise<{ readonly item: EvidenceItem; readonly isUnread: boolean }> {
  try {
    return { item: toEvidence(await readEvidence(opened, ref, shared)), isUnread: false };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const title = `could not be read: ${error.problem.message}`;
    return { item: { ref, kind: 'unread', title, time: null, source: null, fields: [], raw: '' }, isUnread: true };
  }
}
