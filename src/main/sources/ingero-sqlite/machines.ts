import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { attributesJson } from '../traces/span-rows.ts';
import { countOf, plainRow, type Row, textOf } from './format.ts';

const MAX_SESSIONS = 20;

interface Session {
  readonly node: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** Where an event happened. */
export interface Place {
  /** Index of the rank or process in the batch at hand. */
  readonly owner: number;
  readonly resource: number;
}

/** The machines that were traced, and the processes, ranks and pods on them. */
export class Machines {
  readonly processNames = new Map<string, string>();
  private readonly fallback: string;
  private readonly named: boolean;
  private readonly sessions: Session[] = [];
  private readonly attributes = new Map<string, Record<string, unknown>>();
  private readonly cgroups = new Map<string, Row>();
  private readonly edges = new Set<string>();
  private readonly places = new Map<string, Place>();

  constructor({ assume, name }: SourceInput) {
    this.named = assume.device !== null;
    this.fallback = assume.device ?? (name.split('/').at(-1) ?? name).replace(/(?:\.[A-Za-z]\w*)+$/, '');
  }

  /** A run of the tracer on a machine. */
  addSession(row: Row): void {
    const { started_at, stopped_at, node, ...facts } = row;
    const from = countOf(started_at) ?? 0n;
    const stopped = countOf(stopped_at) ?? 0n;
    const machine = textOf(node);
    if (this.sessions.length < 10_000)
      this.sessions.push({ node: machine, from, to: stopped === 0n ? 2n ** 63n : stopped });
    const known = this.attributes.get(machine) ?? { sessions: [] };
    const list = known['sessions'] as unknown[];
    if (list.length < MAX_SESSIONS) list.push({ started_at: textOf(started_at), stopped_at: textOf(stopped_at) });
    for (const [key, value] of Object.entries(facts)) if (value !== null && value !== '') known[key] = value;
    this.attributes.set(machine, known);
  }

  addCgroup(row: Row): void {
    if (textOf(row['container_id']) !== '' || textOf(row['pod_name']) !== '')
      this.cgroups.set(textOf(row['cgroup_id']), row);
  }

  /** Numbers of a batch are void in the next one. */
  nextBatch(): void {
    this.places.clear();
  }

  /** The machine of a name; '' is the one that the recording leaves unnamed. */
  server(builder: BatchBuilder, node: string): number {
    if (node === '' && !this.named)
      builder.remark(`the traced machine has no name in the recording: it is called "${this.fallback}" after the file`);
    const id = node || this.fallback;
    const attributes = attributesJson(plainRow(this.attributes.get(node) ?? {}));
    return builder.entity('server', id, [{ kind: 'host_name', name: id }], attributes);
  }

  /** The machine that was traced at a time, for rows that do not name one; undefined when several were. */
  nodeAt(time: bigint): string | undefined {
    const nodes = new Set(this.sessions.map(({ node }) => node));
    if (nodes.size <= 1) return nodes.size === 0 ? '' : [...nodes][0]!;
    const then = new Set(this.sessions.filter(({ from, to }) => time >= from && time <= to).map(({ node }) => node));
    return then.size === 1 ? [...then][0]! : undefined;
  }

  /** The rank or process that an event belongs to, and its resource. */
  place(builder: BatchBuilder, row: Row): Place {
    const node = textOf(row['node']);
    const pid = textOf(row['pid']);
    const rank = countOf(row['rank']);
    const cgroup = textOf(row['cgroup_id']);
    const comm = textOf(row['comm']);
    const key = `${node}\n${pid}\n${rank ?? ''}\n${cgroup}\n${comm}`;
    let known = this.places.get(key);
    if (!known) {
      const server = node || this.fallback;
      const name = comm || (this.processNames.get(pid) ?? '');
      const world = { local_rank: row['local_rank'] ?? undefined, world_size: row['world_size'] ?? undefined };
      const owner =
        rank === undefined
          ? builder.entity('process', `${server}/pid-${pid}`, [], attributesText({ name }))
          : builder.entity('rank', `rank-${rank}`, [], attributesJson(plainRow(world)));
      const resource = this.resource(row, server, name);
      this.link(builder, owner, `${rank ?? `${server}/${pid}`}`, node, cgroup);
      known = {
        owner,
        resource: builder.resource({ entity: owner, attributes: attributesJson(resource), schema_url: '' }),
      };
      this.places.set(key, known);
    }
    return known;
  }

  private resource(row: Row, server: string, name: string): Record<string, unknown> {
    const cgroup = this.cgroups.get(textOf(row['cgroup_id'])) ?? {};
    const all = {
      'host.name': server,
      'process.pid': textOf(row['pid']),
      'process.name': name,
      rank: textOf(row['rank']),
      'container.id': textOf(cgroup['container_id']),
      'k8s.pod.name': textOf(cgroup['pod_name']),
      'k8s.namespace.name': textOf(cgroup['namespace']),
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  }

  private link(builder: BatchBuilder, owner: number, key: string, node: string, cgroup: string): void {
    const server = this.server(builder, node);
    const pod = this.cgroups.get(cgroup);
    const name = pod ? textOf(pod['pod_name']) : '';
    if (this.edges.has(`${key}\n${node}\n${name}`)) return;
    this.edges.add(`${key}\n${node}\n${name}`);
    const runsOn = (from: number, to: number) =>
      appendEdge(builder, { from, kind: 'runs_on', to, provenance: 'ingero' });
    runsOn(owner, server);
    if (!pod || name === '') return;
    const namespace = textOf(pod['namespace']);
    const entity = builder.entity('pod', namespace === '' ? name : `${namespace}/${name}`);
    runsOn(owner, entity);
    runsOn(entity, server);
  }
}
