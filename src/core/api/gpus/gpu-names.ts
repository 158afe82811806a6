import type { IncidentView } from '../../../model/contract/index.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import type { Hypothesis, Incident } from '../../../model/incident/incident.ts';
import type { ReportBlock } from '../../../model/incident/report-document.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { ReportDraft } from '../../report/document.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader, type Reader } from '../../store/facts/reader.ts';
import { queries } from '../../store/queries/index.ts';
import { placesOf } from '../lanes/lane-places.ts';

/** A UUID of a card, or its address on the bus of a machine: names that only machines know. */
const CARD = /\bGPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|[\w.-]+\/pci-[0-9a-f]{4,8}:[0-9a-f:.]*[0-9a-f]/gi;

/** What people call GPUs that records name by their card: `gpu-node-02 GPU 3`. Ids, and what refers to records, stay as they are. */
export interface GpuNames {
  /** undefined: its machine or its number is unknown, or the id is no name of a card. */
  of(id: string): string | undefined;
  /** The same sentence with these names. */
  inText(text: string): string;
}

export const noGpuNames: GpuNames = { of: () => undefined, inText: (text) => text };

/** By the number of each GPU in its machine, where a source states it and links state the machine. */
export async function readGpuNames(
  session: Session,
  reader: Pick<Reader, 'entities' | 'edges'> = createReader(session),
): Promise<GpuNames> {
  const slots = new Map(
    rowsOf<{ entity: number; slot: number }>(await session.query(queries.gpuSlots)).map((one) => [
      one.entity,
      one.slot,
    ]),
  );
  if (slots.size === 0) return noGpuNames;
  const entities = await reader.entities();
  const placeOf = placesOf(entities, await reader.edges());
  const names = new Map<string, string>();
  for (const { kind, id, canonical_id } of entities) {
    const [slot, machine] = [slots.get(canonical_id), kind === 'gpu' ? placeOf(canonical_id).at(-1) : undefined];
    if (slot === undefined || machine === undefined || id.search(CARD) !== 0) continue;
    names.set(id.toLowerCase(), `${machine.slice(machine.indexOf(':') + 1)} GPU ${slot}`);
  }
  const of = (id: string): string | undefined => names.get(id.toLowerCase());
  return { of, inText: (text) => text.replace(CARD, (id) => of(id) ?? id) };
}

/** The name of what has this id, as an optional member. */
export const named = ({ of }: GpuNames, id: string): { name?: string } => {
  const name = of(id);
  return name === undefined ? {} : { name };
};

/** Hypotheses with names of their subjects, and evidence in these words. */
export function namedHypothesis(hypothesis: Hypothesis, names: GpuNames): Hypothesis {
  const { subject, also, evidence } = hypothesis;
  return {
    ...hypothesis,
    subject: subject && { ...subject, ...named(names, subject.id) },
    ...(also ? { also: also.map((one) => ({ ...one, ...named(names, one.id) })) } : {}),
    evidence: evidence.map((one) => ({ ...one, text: names.inText(one.text) })),
  };
}

/** An incident whose words name GPUs. */
export const namedIncident = (incident: Incident, names: GpuNames): Incident => ({
  ...incident,
  causal_chain: incident.causal_chain.map((step) => ({ ...step, ...named(names, step.device_id) })),
  hypotheses: incident.hypotheses.map((hypothesis) => namedHypothesis(hypothesis, names)),
  warnings: incident.warnings.map(names.inText),
});

/** A view of an incident whose words name GPUs. */
export const namedView = (view: IncidentView, names: GpuNames): IncidentView => ({
  ...view,
  incident: namedIncident(view.incident, names),
  steps: view.steps.map((step) => ({ ...step, ...named(names, step.device), summary: names.inText(step.summary) })),
  also_affected: view.also_affected.map((one) => ({ ...one, ...named(names, one.device) })),
  unused_events: view.unused_events.map((one) => ({
    ...one,
    ...named(names, one.device),
    reason: names.inText(one.reason),
  })),
});

/** A finding whose words name GPUs. */
export function namedFinding(finding: FindingView, names: GpuNames): FindingView {
  const { inText } = names;
  const lines = <L extends { readonly text: string }>(all: readonly L[]): L[] =>
    all.map((line) => ({ ...line, text: inText(line.text) }));
  return {
    ...finding,
    entities: finding.entities.map((one) => ({ ...one, ...named(names, one.id) })),
    headline: inText(finding.headline),
    evidence: lines(finding.evidence),
    contradictions: lines(finding.contradictions),
    missing: lines(finding.missing),
    estimates: lines(finding.estimates),
  };
}

/** A report whose words name GPUs; the appendix of evidence has the names of the records. */
export function namedReport(draft: ReportDraft, names: GpuNames): ReportDraft {
  const { inText } = names;
  return {
    ...draft,
    title: inText(draft.title),
    sections: draft.sections.map((section) => ({
      ...section,
      blocks: section.blocks.map((block) => namedBlock(block, names)),
    })),
    figures: draft.figures.map((figure) => ({
      ...figure,
      title: inText(figure.title),
      description: inText(figure.description),
      svg: inText(figure.svg),
    })),
  };
}

function namedBlock(block: ReportBlock, { inText }: GpuNames): ReportBlock {
  switch (block.kind) {
    case 'sentences':
    case 'list': {
      const facts = block.facts.map((fact) => ({
        ...fact,
        lead: inText(fact.lead),
        text: inText(fact.text),
        details: fact.details.map((one) => ({ ...one, text: inText(one.text) })),
      }));
      return { ...block, facts };
    }
    case 'table':
      return { ...block, rows: block.rows.map((row) => ({ ...row, cells: row.cells.map(inText) })) };
    case 'remark':
      return { ...block, text: inText(block.text) };
    case 'figure':
      return block;
  }
}
