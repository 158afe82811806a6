export const messages = {
  summary: 'links of a case; accept or reject links that live feeds propose',
  usage: [
    'faultline topology CASE [--proposed] [--json]',
    '  faultline topology CASE --accept all|SOURCE',
    '  faultline topology CASE --reject all|SOURCE',
  ].join('\n'),
  acceptAndReject: 'use either --accept or --reject, not both',
  judged: (links: number, verdict: string) => `${links} ${links === 1 ? 'link' : 'links'} ${verdict}`,
  link: (from: string, kind: string, to: string, provenance: string) => `${from} ${kind} ${to}  (${provenance})`,
  proposal: (link: string) => `? ${link}`,
  proposedBy: (sources: string, provenance: string, from: string) =>
    `${sources} by ${provenance}, recorded from ${from}`,
  pending: (links: number) => `${links} proposed links do not count until accepted`,
  noProposals: 'no proposed links',
  noLinks: 'no links',
  unknownSource: {
    message: (source: string) => `no links proposed by "${source}"`,
    noProposals: 'this case has no proposed links',
    known: (sources: string) => `proposed by: ${sources}`,
  },
} as const;
