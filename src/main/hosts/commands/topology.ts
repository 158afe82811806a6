import { randomUUID } from 'node:crypto';
import type { ProposedEdge, Topology, TopologyEdge } from '../../../model/contract/index.ts';
import { verdictOn, verdicts } from '../../../model/incident/proposal.ts';
import { fail } from '../../../model/problem.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import {
  type Command,
  type Core,
  type Invocation,
  positional,
  shown,
  text,
  toJson,
  UsageError,
  withCore,
} from './command.ts';
import { messages } from './messages/topology.ts';

/** Annotations in one change of a case. */
const MOST_AT_ONCE = 5000;

export const topologyCommand: Command = {
  name: 'topology',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    proposed: { type: 'boolean' },
    accept: { type: 'string' },
    reject: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      const [accept, reject] = [text(invocation, 'accept'), text(invocation, 'reject')];
      if (accept !== null && reject !== null) throw new UsageError(messages.acceptAndReject);
      const judged = accept ?? reject;
      await core.openCase(positional(invocation, 0, 'CASE'), { toChange: judged !== null });
      const topology = await core.api['topology.get']({});
      if (judged === null) return list(topology, invocation);
      const edges = proposalsOf(topology, judged);
      const change = reject === null ? 'add' : 'remove';
      await judge(core, topology, { edges, change });
      invocation.terminal.out(`${messages.judged(edges.length, verdicts[change])}\n`);
    }),
};

function list(topology: Topology, { values, terminal }: Invocation): void {
  const counted = values['proposed'] ? [] : topology.edges.map((edge) => named(edge, topology));
  const proposed = topology.proposed.map((edge) => named(edge, topology));
  if (values['json']) return terminal.out(toJson(values['proposed'] ? { proposed } : { links: counted, proposed }));
  const linkText = ({ from, kind, to }: (typeof counted)[number], found: string): string =>
    messages.link(shown(from), kind, shown(to), shown(found));
  for (const link of counted) terminal.out(`${linkText(link, link.provenance.join(', '))}\n`);
  for (const [at, link] of proposed.entries()) {
    const { sources, reported_ns } = topology.proposed[at]!;
    const recorded = formatUtc(nanos(reported_ns));
    const found = messages.proposedBy(sources.join(', '), link.provenance.join(', '), recorded);
    terminal.out(`${messages.proposal(linkText(link, found))}\n`);
  }
  if (proposed.length > 0) terminal.err(`faultline: ${messages.pending(proposed.length)}\n`);
  else if (counted.length === 0) terminal.out(`${values['proposed'] ? messages.noProposals : messages.noLinks}\n`);
}

/** The link with its two entities as `kind:id` instead of numbers. */
function named<E extends TopologyEdge>(edge: E, { nodes }: Topology) {
  return { ...edge, from: nodes[edge.from]?.key ?? '', to: nodes[edge.to]?.key ?? '' };
}

/** @throws ProblemError topology.unknown_source */
function proposalsOf({ proposed }: Topology, source: string): readonly ProposedEdge[] {
  if (source === 'all') return proposed;
  const found = proposed.filter(({ sources }) => sources.includes(source));
  if (found.length > 0) return found;
  const known = [...new Set(proposed.flatMap(({ sources }) => sources))];
  const { message, noProposals, known: knownSources } = messages.unknownSource;
  return fail('topology.unknown_source', message(source), {
    hint: known.length === 0 ? noProposals : knownSources(known.join(', ')),
  });
}

interface Verdict {
  readonly edges: readonly ProposedEdge[];
  readonly change: 'add' | 'remove';
}

async function judge(core: Core, topology: Topology, { edges, change }: Verdict): Promise<void> {
  const made_at_ns = BigInt(Date.now()) * 1_000_000n;
  const put = edges.map((edge) => verdictOn(edge, topology.nodes, { change, id: randomUUID(), made_at_ns }));
  for (let at = 0; at < put.length; at += MOST_AT_ONCE)
    await core.api['annotations.change']({ put: put.slice(at, at + MOST_AT_ONCE) });
}
