export const messages = {
  summary: 'versions, machine and counts of a case, for a report about Faultline itself; no record of the case',
  usage: 'faultline diagnostics [CASE]',
} as const;
