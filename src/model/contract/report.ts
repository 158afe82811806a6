import { z } from 'zod';
import { costSchema } from '../incident/cost-schema.ts';
import { correlateOptionsSchema } from '../incident/incident-schema.ts';
import { reportDocumentSchema } from '../incident/report-document.ts';
import { reportTemplateNames } from '../incident/report-template.ts';
import { call } from './procedure.ts';

const LONGEST_FILE = 1_000_000;
const about = {
  /** The whole report, or a form of it for one use, which is a document of one incident. */
  layout: z.enum(['whole', ...reportTemplateNames]).default('whole'),
  /** One incident; null means all. */
  incident: z.string().nullable().default(null),
  /** What GPUs cost (docs/rates.example.yaml), as YAML; null: what was chosen for the case, else costs stay unknown. */
  rates: z.string().max(LONGEST_FILE).nullable().default(null),
};

/** A catalog of prices that was chosen for a case. */
const ratesInUseSchema = z.object({
  /** Of its file. */
  name: z.string(),
  currency: z.string(),
  lines: z.number().int(),
  /** Dates of its oldest and newest price; '' if no line states one. */
  oldest: z.string(),
  newest: z.string(),
  /** Some are list prices: costs are upper bounds. */
  is_upper: z.boolean(),
});
export type RatesInUse = z.infer<typeof ratesInUseSchema>;

export const reportContract = {
  /** The prices that reports of the open case use; null: none, so that costs are unknown. */
  'rates.get': call(z.object({}), ratesInUseSchema.nullable()),
  /** Keeps a catalog (docs/rates.example.yaml) with the case, but in no bundle of it. Refused (`rates.invalid`) with the line. */
  'rates.choose': call(
    z.object({ name: z.string().min(1).max(200), text: z.string().max(LONGEST_FILE) }),
    ratesInUseSchema,
  ),
  'rates.remove': call(z.object({}), z.object({})),
  /** What each incident cost, with the rates that are given. */
  'incidents.costs': call(
    z.object({ options: correlateOptionsSchema.prefault({}), rates: z.string().max(LONGEST_FILE) }),
    z.array(z.object({ incident: z.string(), cost: costSchema })),
  ),
  'report.render': call(
    z.object({
      ...about,
      format: z.enum(['markdown', 'html', 'json', 'grafana']).default('markdown'),
      /** Markdown with `{{summary}}` and the like in place of sections; for `markdown` and `html`. */
      template: z.string().max(LONGEST_FILE).nullable().default(null),
      /** How figures stand in Markdown: files in `report.assets`, data URIs, or in words only. */
      figures: z.enum(['files', 'data', 'words']).default('words'),
    }),
    z.object({
      name: z.string(),
      text: z.string(),
      /** Files to lie in the folder `report.assets` beside it. */
      assets: z.array(z.object({ name: z.string(), text: z.string() })),
      /** Internal names that a text for customers holds. */
      leaks: z.array(z.string()),
    }),
  ),
  /** The report as data, with each section as Markdown and what prose about it would remember. */
  'report.document': call(
    z.object(about),
    z.object({
      name: z.string(),
      document: reportDocumentSchema,
      leaks: z.array(z.string()),
      /** In the order of the document's sections. */
      sections: z.array(
        z.object({
          key: z.string(),
          /** The facts alone, without prose and figures. */
          markdown: z.string(),
          statements: z.array(z.string()),
        }),
      ),
    }),
  ),
  /** As PDF, where the host can print; null where it cannot. */
  'report.print': call(z.object(about), z.object({ name: z.string(), pdf: z.instanceof(Uint8Array).nullable() })),
} as const;
