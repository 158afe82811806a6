/** Forms of a report for a common use, beside the whole one; each is a document of one incident. */
export const reportTemplates = {
  sre: { title: 'SRE book post-mortem', holds: 'Impact, trigger, resolution, detection, lessons and actions' },
  blameless: { title: 'Blameless review', holds: 'What was seen and known when, factors, lessons and follow-up' },
  customer: { title: 'Customer summary', holds: 'Impact, times and what was done, without internal names' },
  rma: { title: 'Vendor RMA', holds: 'Failed parts with serials, faults and records as evidence' },
} as const;
export type ReportTemplate = keyof typeof reportTemplates;
export const reportTemplateNames = Object.keys(reportTemplates) as [ReportTemplate, ...ReportTemplate[]];
export const isReportTemplate = (name: string): name is ReportTemplate => Object.hasOwn(reportTemplates, name);
