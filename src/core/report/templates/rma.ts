import type { PartMoment, PartView } from '../../../model/contract/index.ts';
import type { Fact, ReportBlock, ReportSection } from '../../../model/incident/report-document.ts';
import { proseOf, section } from '../document.ts';
import { fact, list, remark, sentences, table } from '../facts.ts';
import type { IncidentFacts, ReportInput } from '../report-input.ts';
import { countText, momentText, nameOf, typeText } from '../report-text.ts';
import { askedSections } from '../sections/people.ts';

/** Records of a part that a vendor reads; the others are in the case. */
const MOST_MOMENTS = 40;

interface RmaInput {
  readonly input: ReportInput;
  /** null: of the whole case. */
  readonly facts: IncidentFacts | null;
  readonly parts: readonly PartView[];
}

/** Failed parts with what a vendor asks for: names, serials, faults with their records, error counters. */
export function rmaSections({ input, facts, parts }: RmaInput): ReportSection[] {
  const incident = facts?.view.incident.id ?? null;
  const failed = failedParts(parts, facts);
  const prose = proseOf(input);
  const key = (id: string): string => (incident === null ? id : `${incident}/${id}`);
  const own = (id: string, title: string, blocks: ReportBlock[]): ReportSection => section(id, title, blocks, incident);
  const ask = askedSections(['rma_tests', 'rma_request'], {
    isWritten: (id) => prose.has(key(id)),
    heading: facts?.heading ?? null,
  }).map((one) => own(one.id, one.title, one.blocks));
  if (failed.length === 0)
    return [own('rma_parts', 'Parts', [sentences(fact('No failure of a part itself was recorded.', ['case:layers']))])];
  return [
    own('rma_parts', 'Parts', [partsTable(failed)]),
    own(
      'rma_faults',
      'Faults',
      failed.flatMap((part) => faultBlocks(part)),
    ),
    own('rma_counters', 'Error counters', counterBlocks(failed)),
    ...ask,
  ];
}

/**
 * Parts with a failure of their own. What only passed on what another device did (a GPU behind a sagging supply) is none of them: a step
 * of a chain that has a cause.
 */
export function failedParts(parts: readonly PartView[], facts: IncidentFacts | null): PartView[] {
  if (!facts) return parts.filter(({ faults }) => faults > 0);
  const { steps, start_ns, end_ns } = facts.view;
  const effects = new Set(steps.flatMap(({ ref, cause }) => (cause === null ? [] : [ref])));
  const isOwn = ({ role, ref, time_ns }: PartMoment): boolean =>
    role === 'fault' && !effects.has(ref) && time_ns >= start_ns && time_ns <= end_ns;
  const lead = facts.verdict.leading?.subject;
  const root = lead && facts.verdict.undecided.length === 0 ? `${lead.kind}:${lead.id}` : '';
  return parts.filter(
    ({ entity, moments }) => moments.some(isOwn) || (entity === root && moments.some(({ role }) => role === 'fault')),
  );
}

function partsTable(parts: readonly PartView[]): ReportBlock {
  const rows = parts.map(({ entity, serial, model, firmware, place, names, replaced_by }) => ({
    cells: [
      nameOf(entity),
      entity.slice(0, entity.indexOf(':')),
      serial || 'not recorded',
      model || 'not recorded',
      firmware || 'not recorded',
      place ?? 'not recorded',
      names.find(({ kind }) => kind === 'pci_address')?.name.replace(/^.*\/pci-/, '') ?? 'not recorded',
      replaced_by === null ? 'no' : `by ${nameOf(replaced_by)}`,
    ],
    refs: [`entity:${entity}`],
  }));
  return table(['Part', 'Kind', 'Serial', 'Model', 'Firmware', 'Machine', 'PCI address', 'Replaced'], rows);
}

function faultBlocks({ entity, moments, faults, hours }: PartView): ReportBlock[] {
  const shown = moments.slice(0, MOST_MOMENTS);
  const more = moments.length - shown.length;
  const rows = shown.map(({ time_ns, type, text, ref }) => ({
    cells: [momentText(time_ns), typeText(type), text === '' ? 'no message' : text],
    refs: [ref],
  }));
  return [
    sentences(
      fact(`: ${countText(faults, 'failure')} in ${countText(hours, 'recorded hour')}.`, [`entity:${entity}`], {
        lead: nameOf(entity),
      }),
    ),
    table(['Time', 'Event', 'Message'], rows),
    ...(more > 0 ? [remark(`${more} later records are not listed.`)] : []),
  ];
}

function counterBlocks(parts: readonly PartView[]): ReportBlock[] {
  const lines = parts.flatMap(({ entity, counters }) =>
    counters.map(
      ({ metric, value, grown, ref }): Fact =>
        fact(`: ${metric} ${value}, of which ${grown} within the recording.`, [ref], { lead: nameOf(entity) }),
    ),
  );
  return lines.length > 0 ? [list(lines)] : [remark('No error counter of these parts was recorded.')];
}
