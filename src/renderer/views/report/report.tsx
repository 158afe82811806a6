import { useState } from 'react';
import type { Output } from '../../../model/contract/index.ts';
import { isReportTemplate, reportTemplateNames, reportTemplates } from '../../../model/incident/report-template.ts';
import { problemOf } from '../../client/problem-of.ts';
import { showDetails } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { exportReport, type ReportForm } from '../../state/export-report.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useApp } from '../../state/known.ts';
import { reportRequest, showReport, useReportLayout } from '../../state/report-layout.ts';
import { copyText, showError } from '../../state/toasts.ts';
import { Menu } from '../../widgets/menu.tsx';
import { messages } from './messages.ts';
import { RatesBar } from './rates-bar.tsx';
import { ReportPart } from './report-part.tsx';
import './report.css';

export type ReportAnswer = Output<'report.document'>;

/** The post-mortem, section by section; the investigator's text comes before the facts of each section. */
export function Report({ name, document: report, sections, leaks }: ReportAnswer) {
  const layout = useReportLayout((state) => state.layout);
  return (
    <div className="report">
      <ReportBar name={name} />
      {layout === 'customer' ? null : <RatesBar />}
      {leaks.length > 0 ? (
        <p className="report-leaks caution" role="status" data-testid="report-leaks">
          {messages.leaks(leaks)}
        </p>
      ) : null}
      <article className="report-page" data-testid="report-preview" aria-label={messages.preview}>
        <div className="report-title">
          <h1>{report.title}</h1>
        </div>
        {report.sections.map((section, at) => (
          <ReportPart
            key={section.key}
            section={section}
            facts={sections[at]}
            report={report}
            isFirst={section.incident !== null && report.sections[at - 1]?.incident !== section.incident}
            onAnchor={followAnchor}
          />
        ))}
      </article>
    </div>
  );
}

const forms: readonly (readonly [ReportForm, string])[] = [
  ['html', messages.forms.html],
  ['pdf', messages.forms.pdf],
  ['json', messages.forms.json],
  ['grafana', messages.forms.grafana],
];

function ReportBar({ name }: { readonly name: string }) {
  const [saving, setSaving] = useState(false);
  const host = useApp()?.host;
  const layout = useReportLayout((state) => state.layout);
  const save = async (form: ReportForm) => {
    setSaving(true);
    await exportReport(form);
    setSaving(false);
  };
  return (
    <div className="report-bar">
      <label className="report-layout">
        {messages.layout.label}
        <select
          value={layout}
          title={layout === 'whole' ? messages.layout.wholeTitle : reportTemplates[layout].holds}
          data-testid="report-layout"
          onChange={({ target }) => showReport(isReportTemplate(target.value) ? target.value : 'whole')}
        >
          <option value="whole">{messages.layout.whole}</option>
          {reportTemplateNames.map((one) => (
            <option key={one} value={one}>
              {reportTemplates[one].title}
            </option>
          ))}
        </select>
      </label>
      <span className="mono ellipsis">{name}</span>
      <span className="spring" />
      <button type="button" onClick={() => void copyMarkdown()}>
        {messages.copyMarkdown}
      </button>
      <Menu
        label={messages.forms.label}
        testId="report-forms"
        items={forms.map(([form, title]) => ({
          id: form,
          title,
          // Only the desktop app prints.
          ...(form === 'pdf' && host !== 'electron' ? { disabled: true, note: messages.forms.onlyDesktop } : {}),
          ...(layout !== 'whole' && (form === 'json' || form === 'grafana')
            ? { disabled: true, note: messages.forms.onlyWhole }
            : {}),
          run: () => void save(form),
        }))}
      >
        {messages.forms.open}
      </Menu>
      <button
        type="button"
        className="primary"
        data-testid="export-report"
        disabled={saving}
        onClick={() => void save('markdown')}
      >
        {messages.export}
      </button>
    </div>
  );
}

async function copyMarkdown(): Promise<void> {
  try {
    const asked = await reportRequest(client(), useFocus.getState().incident);
    await copyText((await client().call('report.render', { format: 'markdown', ...asked })).text, messages.report);
  } catch (error) {
    showError(problemOf(error));
  }
}

/** A citation opens its record. */
function followAnchor(anchor: string): void {
  try {
    select(decodeURIComponent(anchor));
  } catch {
    // A typed link may not be an encoded id.
    select(anchor);
  }
  showDetails();
}
