import type { CallContext, Host, Output, Parsed } from '../../../model/contract/index.ts';
import { headingOf } from '../../../model/incident/follow-up.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import { judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import type { ReportDocument } from '../../../model/incident/report-document.ts';
import { bySharedCause } from '../../../model/incident/shared-causes.ts';
import { fail } from '../../../model/problem.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { writtenIncident } from '../../analysis/written-incident.ts';
import { statementsOf } from '../../report/facts.ts';
import { renderGrafana } from '../../report/grafana.ts';
import { renderHtml } from '../../report/html.ts';
import { renderMarkdown, sectionPieces, startDraft } from '../../report/markdown.ts';
import { fillTemplate } from '../../report/template.ts';
import { internalNames, publicDocument } from '../../report/templates/customer.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { readStoredRates } from '../../store/case-file/stored-rates.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { unknownIncident } from '../incidents/incident-view.ts';
import type { Workspace } from '../workspace.ts';
import { readCosts, writeReport } from './report-facts.ts';

/** The post-mortem in its forms. */
export function reportHandlers(
  workspace: Workspace,
  { version, host }: { readonly version: string; readonly host: Host },
) {
  const write = async ({ incident, rates, layout }: About): Promise<ReportDocument> => {
    const opened = workspace.required();
    const ratesText = rates ?? (await opened.withSession(readStoredRates))?.text ?? null;
    return readReport(opened, { incident, rates: ratesText, layout }, version);
  };
  const leaksOf = async (document: ReportDocument, layout: About['layout']): Promise<string[]> =>
    layout === 'customer' ? workspace.required().withSession((session) => readLeaks(session, document)) : [];
  return {
    'incidents.costs': async ({ options, rates }: Parsed<'incidents.costs'>, { signal }: CallContext) => {
      const prices = parseRates(rates);
      const opened = workspace.required();
      return readCosts(opened, (await opened.investigation(options, signal)).conclusions, prices);
    },
    'report.render': async (input: Parsed<'report.render'>): Promise<Output<'report.render'>> => {
      const document = await write(input);
      const leaks = await leaksOf(document, input.layout);
      return { ...renderReport(shownDocument(document, input.layout), input), leaks };
    },
    'report.document': async (input: Parsed<'report.document'>): Promise<Output<'report.document'>> => {
      const document = await write(input);
      const draft = startDraft(document, 'evidence_id');
      const sections = document.sections.map((section) => ({
        key: section.key,
        markdown: sectionPieces({ ...section, prose: null }, draft)
          .filter((piece) => typeof piece === 'string')
          .join('\n\n'),
        statements: statementsOf(section.blocks),
      }));
      return { name: nameOf(document, input.layout), document, sections, leaks: await leaksOf(document, input.layout) };
    },
    'report.print': async (input: Parsed<'report.print'>): Promise<Output<'report.print'>> => {
      if (!host.printPdf) return { name: '', pdf: null };
      const document = await write(input);
      const pdf = await host.printPdf(renderHtml(shownDocument(document, input.layout)));
      return { name: `${nameOf(document, input.layout)}.pdf`, pdf: new Uint8Array(pdf) };
    },
  };
}

type About = Pick<Parsed<'report.render'>, 'incident' | 'rates' | 'layout'>;

/** Customers do not read the name of a case. */
const nameOf = ({ case: name, title }: ReportDocument, layout: About['layout']): string =>
  layout === 'whole'
    ? `${name}-post-mortem`
    : layout === 'customer'
      ? title
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, '-')
          .replaceAll(/^-|-$/g, '')
      : `${name}-${layout}`;

const shownDocument = (document: ReportDocument, layout: About['layout']): ReportDocument =>
  layout === 'customer' ? publicDocument(document) : document;

/** @throws ProblemError incident.unknown, rates.invalid, report.which_incident */
async function readReport(
  opened: OpenCase,
  { incident, rates, layout }: About,
  version: string,
): Promise<ReportDocument> {
  const prices = rates === null ? null : parseRates(rates);
  const found = await opened.conclusions();
  const conclusions =
    incident !== null
      ? await sharingCause(opened, found.conclusions, incident)
      : layout === 'whole'
        ? found.conclusions
        : layout === 'rma'
          ? []
          : await onlyIncident(opened, found.conclusions);
  if (incident !== null && conclusions.length === 0) unknownIncident(incident);
  return writeReport(opened, { ...found, conclusions }, { rates: prices, version, layout });
}

/** A template is a document of one incident. @throws ProblemError report.which_incident */
async function onlyIncident(opened: OpenCase, conclusions: readonly Conclusion[]): Promise<readonly Conclusion[]> {
  const [first] = conclusions;
  if (!first) return [];
  const own = await sharingCause(opened, conclusions, first.incident.id);
  if (own.length === conclusions.length) return own;
  const names = conclusions.map(({ incident }) => `${incident.id} (${impactedText(incident)})`);
  return fail('report.which_incident', 'this case has several incidents, and a template is a document of one', {
    hint: `choose one: ${names.join(', ')}`,
  });
}

/** Internal names in what people wrote for customers. */
async function readLeaks(session: Session, document: ReportDocument): Promise<string[]> {
  const annotations = await readAnnotations(session);
  const rows = rowsOf<{ id: string }>(await session.query(queries.entities, []));
  const released = document.incidents.flatMap(({ id }) => headingOf(annotations, id)?.public_name ?? []);
  return internalNames(document, { internal: rows.map(({ id }) => id), released });
}

/** An incident first, and the impacts that share its cause: to people they are one. */
async function sharingCause(
  opened: OpenCase,
  conclusions: readonly Conclusion[],
  id: string,
): Promise<readonly Conclusion[]> {
  const annotations = await opened.withSession(readAnnotations);
  const named = conclusions.map((conclusion) => {
    const incident = writtenIncident(conclusion.incident);
    return { conclusion, incident, leading: judgedVerdict(incident, annotations).leading };
  });
  const group = bySharedCause(named).find(({ members }) => members.some(({ incident }) => incident.id === id));
  const members = (group?.members ?? []).map(({ conclusion }) => conclusion);
  return members.toSorted((a, b) => Number(b.incident.id === id) - Number(a.incident.id === id));
}

/** The report that goes with a bundle: of the whole case, without prices, figures in words. */
export const reportOfCase = async (opened: OpenCase, version: string): Promise<string> =>
  renderMarkdown(await readReport(opened, { incident: null, rates: null, layout: 'whole' }, version));

/** @throws ProblemError template.unknown_block, template.format */
function renderReport(
  document: ReportDocument,
  { format, template, figures, layout }: Parsed<'report.render'>,
): Omit<Output<'report.render'>, 'leaks'> {
  if (layout !== 'whole' && (template !== null || (format !== 'markdown' && format !== 'html')))
    return fail('template.format', 'a template is Markdown, HTML or PDF, and holds no other template');
  const name = nameOf(document, layout);
  const assets = format === 'markdown' && figures === 'files' ? document.figures : [];
  const files = assets.map(({ id, svg }) => ({ name: `${id}.svg`, text: svg }));
  switch (format) {
    case 'json':
      // No time of writing: a report of the same case is the same bytes.
      return { name: `${name}.json`, text: `${JSON.stringify(document, null, 2)}\n`, assets: files };
    case 'grafana':
      return { name: `${name}-annotations.json`, text: renderGrafana(document), assets: files };
    case 'html':
      return { name: `${name}.html`, text: renderHtml(document, template), assets: files };
    case 'markdown': {
      const text = template === null ? renderMarkdown(document, figures) : fillTemplate(template, document, figures);
      return { name: `${name}.md`, text, assets: files };
    }
  }
}
