export const messages = {
  summary: 'find a name, a text or an id: of a trace, span, event, pod, GPU, host, a serial number, an Xid',
  usage: [
    'faultline find CASE TEXT [--limit N] [--json]',
    '    for example: faultline find CASE 4bf92f3577b34da6a3ce929d0e0e4736, faultline find CASE "Xid 79"',
  ].join('\n'),
  nothing: (text: string) => `nothing found for "${text}"`,
  trace: (id: string, spans: number) => `trace ${id}, ${spans} ${spans === 1 ? 'span' : 'spans'}`,
  span: (id: string) => `span of trace ${id}`,
  also: (what: string, name: string) => `${what.replaceAll('_', ' ')} ${name}`,
  spans: (count: number, milliseconds: string) =>
    `${count} ${count === 1 ? 'span' : 'spans'}, slowest ${milliseconds} ms`,
} as const;
