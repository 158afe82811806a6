import { problemOf } from '../client/problem-of.ts';
import { stepsTaken } from './annotations.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { messages } from './messages.ts';
import { reportRequest } from './report-layout.ts';
import { saveFile } from './save-file.ts';
import { notify, showError } from './toasts.ts';

const types = {
  markdown: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  grafana: 'application/json',
} as const;
export type ReportForm = keyof typeof types | 'pdf';

/** Exports the current report of the selected incident; Markdown by default. */
export async function exportReport(form: ReportForm = 'markdown'): Promise<void> {
  try {
    const { incident } = useFocus.getState();
    await stepsTaken();
    const asked = await reportRequest(client(), incident);
    if (form === 'pdf') return await exportPdf(asked);
    // Data is of the whole report.
    const layout = form === 'markdown' || form === 'html' ? asked.layout : 'whole';
    const { name, text, leaks } = await client().call('report.render', {
      format: form,
      incident: asked.incident,
      layout,
    });
    if (leaks.length > 0) notify(messages.internalNames(leaks));
    await saveFile(name, new Blob([text], { type: types[form] }));
  } catch (error) {
    showError(problemOf(error));
  }
}

async function exportPdf(asked: Awaited<ReturnType<typeof reportRequest>>): Promise<void> {
  const { name, pdf } = await client().call('report.print', asked);
  if (pdf === null) return notify(messages.noPdf);
  await saveFile(name, new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }));
}
