import { dirname, join } from 'node:path';
import { isReportTemplate, type ReportTemplate } from '../../../model/incident/report-template.ts';
import { fail } from '../../../model/problem.ts';
import { readRates } from '../rates-option.ts';
import {
  type Command,
  type Invocation,
  oneOf,
  positional,
  text,
  thresholdsOption,
  UsageError,
  withCore,
} from './command.ts';
import { messages } from './messages/report.ts';

export const reportCommand: Command = {
  name: 'report',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    out: { type: 'string' },
    format: { type: 'string' },
    incident: { type: 'string' },
    rates: { type: 'string' },
    'gpu-rate': { type: 'string' },
    template: { type: 'string' },
    figures: { type: 'string' },
    ...thresholdsOption,
  },
  run: async (invocation) => {
    const format = oneOf(invocation, 'format', ['markdown', 'html', 'json', 'grafana', 'pdf'], 'markdown');
    if (format === 'pdf') return fail('report.no_printer', messages.noPdf.message, { hint: messages.noPdf.hint });
    const { terminal } = invocation;
    const out = text(invocation, 'out');
    const figures = oneOf(invocation, 'figures', ['files', 'data', 'words'], out === null ? 'words' : 'files');
    if (figures === 'files' && out === null && text(invocation, 'figures') !== null)
      throw new UsageError(messages.figuresNeedOut);
    const { layout, template } = await readTemplate(invocation, format);
    const rates = await readRates(invocation);
    await withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const incident = text(invocation, 'incident');
      const report = await core.api['report.render']({ format, incident, rates, layout, template, figures });
      if (report.leaks.length > 0) terminal.err(`${messages.leaks(report.leaks)}\n`);
      if (out === null) return terminal.out(report.text);
      for (const asset of report.assets)
        await terminal.writeFile(join(dirname(out), 'report.assets', asset.name), asset.text);
      await terminal.writeFile(out, report.text);
      const figuresText = report.assets.length > 0 ? messages.figures(report.assets.length) : '';
      terminal.err(`${messages.wrote(out)}${figuresText}\n`);
    });
  },
};

interface Template {
  readonly layout: ReportTemplate | 'whole';
  /** Text of one's own. */
  readonly template: string | null;
}

/** A name of ours, else a file; `./sre` is a file in any case. */
async function readTemplate(invocation: Invocation, format: string): Promise<Template> {
  const given = text(invocation, 'template');
  if (given === null) return { layout: 'whole', template: null };
  if (format !== 'markdown' && format !== 'html') throw new UsageError(messages.templateFormats);
  if (isReportTemplate(given)) return { layout: given, template: null };
  return { layout: 'whole', template: await invocation.terminal.readFile(given) };
}
