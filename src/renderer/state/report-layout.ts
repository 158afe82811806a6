import { create } from 'zustand';
import type { ReportTemplate } from '../../model/incident/report-template.ts';
import type { Client } from '../client/client.ts';
import { showView } from './case-state.ts';

export type ReportLayout = ReportTemplate | 'whole';

/** How the report is arranged: in whole, or as a template. */
export const useReportLayout = create<{ readonly layout: ReportLayout }>()(() => ({ layout: 'whole' }));

export function showReport(layout: ReportLayout): void {
  useReportLayout.setState({ layout });
  showView('report');
}

interface ReportRequest {
  readonly incident: string | null;
  readonly layout: ReportLayout;
}

/** What to ask for: a template is of one incident, the first where none is selected. */
export async function reportRequest(client: Client, incident: string | null): Promise<ReportRequest> {
  const { layout } = useReportLayout.getState();
  if (incident !== null || layout === 'whole') return { incident, layout };
  const [first] = await client.call('incidents.list', {});
  return { incident: first?.incident.id ?? null, layout };
}
