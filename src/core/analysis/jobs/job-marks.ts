import type {
  CheckpointLineFact,
  EdgeFact,
  NamedSpanFact,
  StatedEvent,
  StepReturnFact,
} from '../../store/facts/reader.ts';
import { isSave } from '../patterns/training/training-spans.ts';
import type { JobMark, JobRank } from './job.ts';
import type { Members } from './job-members.ts';

export interface MarkFacts {
  readonly returns: readonly StepReturnFact[];
  readonly saves: readonly NamedSpanFact[];
  readonly saveLines: readonly CheckpointLineFact[];
  /** Of containers that were started. */
  readonly starts: readonly StatedEvent[];
  readonly edges: readonly EdgeFact[];
}

/** A job whose marks are sought. */
interface Marked {
  /** Canonical entities that it is. */
  readonly works: readonly number[];
  readonly ranks: readonly JobRank[];
  /** Of each rank, by {@link Members.keyOf}. */
  readonly keys: readonly (readonly string[])[];
}

/** Restarts and checkpoints of each job, in order of time. */
export class Marks {
  private readonly facts: MarkFacts;
  private readonly members: Members;
  private readonly startsByEntity: ReadonlyMap<number, readonly StatedEvent[]>;

  constructor(facts: MarkFacts, members: Members) {
    this.facts = facts;
    this.members = members;
    const byPod = Map.groupBy(facts.starts, ({ entity }) => entity);
    const found = new Map<number, readonly StatedEvent[]>();
    for (const { kind, from_id, to_id } of facts.edges)
      if (kind === 'runs_on' && byPod.has(to_id))
        found.set(from_id, [...(found.get(from_id) ?? []), ...(byPod.get(to_id) ?? [])]);
    this.startsByEntity = found;
  }

  of(job: Marked): JobMark[] {
    const rows = new Map(job.keys.flatMap((keys, row) => keys.map((key) => [key, row])));
    const entities = new Map(job.ranks.flatMap((rank, row) => rank.entities.map((entity) => [entity, row])));
    const rowOf = (process: NamedSpanFact | StepReturnFact): number | undefined => {
      const key = this.members.keyOf(process);
      const row = key === undefined ? undefined : rows.get(key);
      return row ?? this.ofJob(job, process.entity, entities);
    };
    const returns = this.facts.returns.flatMap((one): JobMark[] => {
      const row = rowOf(one);
      const text = `${one.from_step} → ${one.to_step}`;
      return row === undefined ? [] : [markOf({ kind: 'step_back', row, start_ns: one.time_ns, text })];
    });
    const saves = this.facts.saves.filter(isSave).flatMap((one): JobMark[] => {
      const row = rowOf(one);
      const { start_ns, end_ns, name: text, ref, failed } = one;
      return row === undefined ? [] : [{ kind: 'checkpoint', row, start_ns, end_ns, text, ref, failed }];
    });
    const lines = this.facts.saveLines.flatMap((one): JobMark[] => {
      const row = entities.get(one.entity) ?? this.ofJob(job, one.entity, entities);
      return row === undefined
        ? []
        : [markOf({ kind: 'checkpoint', row, start_ns: one.time_ns, text: one.text, ref: one.ref })];
    });
    const all = [...returns, ...saves, ...lines, ...this.restarts(job)];
    return all.sort((a, b) => (a.start_ns < b.start_ns ? -1 : a.start_ns > b.start_ns ? 1 : a.row - b.row));
  }

  /** -1: about the job as a whole; undefined: about another one. */
  private ofJob(job: Marked, entity: number, entities: ReadonlyMap<number, number>): -1 | undefined {
    return entity >= 0 && (job.works.includes(entity) || entities.has(entity)) ? -1 : undefined;
  }

  /** Containers that were started after the first sign of life of what runs in them. */
  private restarts({ ranks }: Marked): JobMark[] {
    return ranks.flatMap(({ entities, first_ns }, row) =>
      [...new Set(entities.flatMap((entity) => this.startsByEntity.get(entity) ?? []))]
        .filter(({ time_ns }) => first_ns !== null && time_ns > first_ns)
        .map(({ time_ns, message, event_id }) =>
          markOf({ kind: 'restart', row, start_ns: time_ns, text: message, ref: `event:${event_id}` }),
        ),
    );
  }
}

const markOf = (mark: Pick<JobMark, 'kind' | 'row' | 'start_ns' | 'text'> & { readonly ref?: string }): JobMark => ({
  ref: '',
  ...mark,
  end_ns: mark.start_ns,
  failed: false,
});
