import type { CallContext, Host, Output, Parsed } from '../../../model/contract/index.ts';
import { judgedVerdict } from '../../../model/incident/judged-verdict.ts';
import type { ReportDocument } from '../../../model/incident/report-document.ts';
import { bySharedCause } from '../../../model/incident/shared-causes.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { writtenIncident } from '../../analysis/written-incident.ts';
import { statementsOf } from '../../report/facts.ts';
import { renderGrafana } from '../../report/grafana.ts';
import { renderHtml } from '../../report/html.ts';
import { renderMarkdown, sectionPieces, startDraft } from '../../report/markdown.ts';
import { fillTemplate } from '../../report/template.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { readStoredRates } from '../../store/case-file/stored-rates.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { unknownIncident } from '../incidents/incident-view.ts';
import type { Workspace } from '../workspace.ts';
import { readCosts, writeReport } from './report-facts.ts';

/** The post-mortem in its forms. */
export function reportHandlers(
  workspace: Workspace,
  { version, host }: { readonly version: string; readonly host: Host },
) {
  const write = async ({ incident, rates }: About): Promise<ReportDocument> => {
    const opened = workspace.required();
    const ratesText = rates ?? (await opened.withSession(readStoredRates))?.text ?? null;
    return readReport(opened, { incident, rates: ratesText }, version);
  };
  return {
    'incidents.costs': async ({ options, rates }: Parsed<'incidents.costs'>, { signal }: CallContext) => {
      const prices = parseRates(rates);
      const opened = workspace.required();
      return readCosts(opened, (await opened.investigation(options, signal)).conclusions, prices);
    },
    'report.render': async (input: Parsed<'report.render'>) => renderReport(await write(input), input),
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
      return { name: nameOf(document), document, sections };
    },
    'report.print': async (input: Parsed<'report.print'>): Promise<Output<'report.print'>> => {
      if (!host.printPdf) return { name: '', pdf: null };
      const document = await write(input);
      return { name: `${nameOf(document)}.pdf`, pdf: new Uint8Array(await host.printPdf(renderHtml(document))) };
    },
  };
}

type About = Pick<Parsed<'report.render'>, 'incident' | 'rates'>;
const nameOf = ({ case: name }: ReportDocument): string => `${name}-post-mortem`;

/** @throws ProblemError incident.unknown, rates.invalid */
async function readReport(opened: OpenCase, { incident, rates }: About, version: string): Promise<ReportDocument> {
  const prices = rates === null ? null : parseRates(rates);
  const found = await opened.conclusions();
  const conclusions = incident === null ? found.conclusions : await sharingCause(opened, found.conclusions, incident);
  if (incident !== null && conclusions.length === 0) unknownIncident(incident);
  return writeReport(opened, { ...found, conclusions }, { rates: prices, version });
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
  renderMarkdown(await readReport(opened, { incident: null, rates: null }, version));

/** @throws ProblemError template.unknown_block */
function renderReport(
  document: ReportDocument,
  { format, template, figures }: Parsed<'report.render'>,
): Output<'report.render'> {
  const name = nameOf(document);
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
