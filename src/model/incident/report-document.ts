import { z } from 'zod';
import { severities } from '../entity.ts';
import { costSchema } from './cost-schema.ts';
import { missingLayerSchema } from './finding.ts';
import { incidentSchema } from './incident-schema.ts';

/** What can be opened in the app and resolved by `evidence.get`: `event:12`, `edge:pdu:A/feeds/server:b`. */
const refs = z.array(z.string());

/** One factual statement. Text is plain: nothing in it is markup. */
export const factSchema = z.object({
  /** What it is about, in bold; '' where the sentence stands alone. */
  lead: z.string(),
  text: z.string(),
  refs,
  /** What it rests on, line by line. */
  details: z.array(z.object({ text: z.string(), refs })),
});
export type Fact = z.infer<typeof factSchema>;

export const reportBlockSchema = z.discriminatedUnion('kind', [
  /** Facts one after the other, as a paragraph. */
  z.object({ kind: z.literal('sentences'), facts: z.array(factSchema) }),
  z.object({ kind: z.literal('list'), ordered: z.boolean(), facts: z.array(factSchema) }),
  z.object({
    kind: z.literal('table'),
    head: z.array(z.string()),
    rows: z.array(z.object({ cells: z.array(z.string()), refs })),
  }),
  z.object({ kind: z.literal('figure'), figure: z.string() }),
  /** How to read what follows; states nothing about the incident. */
  z.object({ kind: z.literal('remark'), text: z.string() }),
]);
export type ReportBlock = z.infer<typeof reportBlockSchema>;

/** Prose of the investigator whose facts are others now. */
export const proseConflictSchema = z.object({
  /** Statements that were there when the prose was written and are not any more; and those that are new. */
  was: z.array(z.string()),
  now: z.array(z.string()),
});
export type ProseConflict = z.infer<typeof proseConflictSchema>;

export const reportSectionSchema = z.object({
  /** `summary`, `impact`, …: what templates name. */
  id: z.string(),
  /** What prose is written under: `inc_1a2b3c4d/summary`, or the id alone where the section is about the whole case. */
  key: z.string(),
  title: z.string(),
  incident: z.string().nullable(),
  /** Markdown by the investigator, in front of the facts. */
  prose: z.object({ annotation: z.string(), text: z.string(), conflict: proseConflictSchema.nullable() }).nullable(),
  blocks: z.array(reportBlockSchema),
});
export type ReportSection = z.infer<typeof reportSectionSchema>;

export const reportFigureSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Alternative text. */
  description: z.string(),
  /** What it was drawn from. */
  refs,
  /** A whole SVG document that needs nothing else. */
  svg: z.string(),
});
export type ReportFigure = z.infer<typeof reportFigureSchema>;

export const evidenceItemSchema = z.object({
  ref: z.string(),
  kind: z.string(),
  title: z.string(),
  /** UTC. */
  time: z.string().nullable(),
  source: z.string().nullable(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  raw: z.string(),
});
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

export const reportFindingSchema = z.object({
  id: z.string(),
  /** As in docs/patterns.md. */
  pattern: z.string(),
  title: z.string(),
  headline: z.string(),
  severity: z.enum(severities),
  /** `partial`: what is in `missing` was not recorded. */
  verdict: z.enum(['complete', 'partial']),
  start: z.string(),
  end: z.string(),
  entities: z.array(z.object({ kind: z.string(), id: z.string() })),
  missing: z.array(missingLayerSchema),
  /** Ids of the incidents that it has to do with. */
  incidents: z.array(z.string()),
  refs,
});
export type ReportFinding = z.infer<typeof reportFindingSchema>;

const judgedSchema = z.object({
  subject: z.object({ kind: z.string(), id: z.string() }).nullable(),
  type: z.string(),
  /** '' where none was given. */
  reason: z.string(),
});
/** What the investigator judged about the hypotheses of one incident; it comes before what was computed. */
export const reportVerdictSchema = z.object({
  incident: z.string(),
  confirmed: judgedSchema.nullable(),
  ruled_out: z.array(judgedSchema),
});
export type ReportVerdict = z.infer<typeof reportVerdictSchema>;

/** The post-mortem as data: what `faultline report --format json` prints. Times are UTC text with milliseconds and Z. */
export const reportDocumentSchema = z.object({
  report_version: z.literal(1),
  case: z.string(),
  title: z.string(),
  incidents: z.array(incidentSchema),
  /** Of each incident of which a hypothesis was judged. */
  verdicts: z.array(reportVerdictSchema),
  costs: z.array(z.object({ incident: z.string(), cost: costSchema })),
  /** Known failure signatures in the case, worst first. */
  findings: z.array(reportFindingSchema),
  sections: z.array(reportSectionSchema),
  figures: z.array(reportFigureSchema),
  evidence: z.array(evidenceItemSchema),
});
export type ReportDocument = z.infer<typeof reportDocumentSchema>;
