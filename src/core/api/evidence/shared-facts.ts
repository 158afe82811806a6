import type { CaseInfo } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import type { ContradictedReading } from '../../../model/incident/contradicted-reading.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { readContradictions } from '../../analysis/contradictions/contradicted-readings.ts';
import { readEdgeEdits } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { createReader, type Reader } from '../../store/facts/reader.ts';
import { readRecordedEdges } from '../../store/facts/recorded-edges.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';

export type Entities = Awaited<ReturnType<Reader['entities']>>;

type Row = Readonly<Record<string, unknown>>;
type Events = ReadonlyMap<number, Row>;

interface Alias {
  readonly entity: number;
  readonly kind: string;
  readonly name: string;
}

/**
 * What many records of one answer need: read by the first that asks, with its session, for all of them. To plan a statement takes
 * longer than to run it, so a report of a hundred events that were read one by one took twice the processor time.
 */
export class SharedFacts {
  private readonly opened: OpenCase;
  /** Of all records of the answer. */
  private readonly refs: readonly string[];
  private facts: Promise<CaseInfo> | undefined;
  private known: Promise<Entities> | undefined;
  private links: ReturnType<typeof readRecordedEdges> | undefined;
  private changes: ReturnType<typeof readEdgeEdits> | undefined;
  private names: Promise<readonly Alias[]> | undefined;
  private events: Promise<Events> | undefined;
  private contradictions: ReturnType<typeof readContradictions> | undefined;

  constructor(opened: OpenCase, refs: readonly string[]) {
    this.opened = opened;
    this.refs = refs;
  }

  info(): Promise<CaseInfo> {
    this.facts ??= this.opened.info();
    return this.facts;
  }

  entities(session: Session): Promise<Entities> {
    this.known ??= createReader(session).entities();
    return this.known;
  }

  edges(session: Session): ReturnType<typeof readRecordedEdges> {
    this.links ??= readRecordedEdges(session);
    return this.links;
  }

  edits(session: Session): ReturnType<typeof readEdgeEdits> {
    this.changes ??= readEdgeEdits(session);
    return this.changes;
  }

  /** Of a canonical entity. */
  async aliases(session: Session, entity: number): Promise<readonly Alias[]> {
    this.names ??= this.readAliases(session);
    return (await this.names).filter((alias) => alias.entity === entity);
  }

  private async readAliases(session: Session): Promise<readonly Alias[]> {
    const cited = new Set(this.refs);
    const entities = (await this.entities(session)).filter(({ kind, id }) =>
      cited.has(`entity:${entityKey(kind, id)}`),
    );
    const ids = new Set(entities.map(({ canonical_id }) => canonical_id));
    return rowsOf<Alias>(await session.query(queries.entityAliases, [[...ids].join()]));
  }

  /** A damaged one hides no other: what cannot be read with all is read alone. */
  async event(session: Session, id: number): Promise<Row | undefined> {
    this.events ??= readEvents(session, numbersOf(this.refs));
    const events = await this.events.catch(() => readEvents(session, [id]));
    return events.get(id);
  }

  async contradiction(session: Session, event: number): Promise<ContradictedReading | null> {
    const reader = createReader(session);
    this.contradictions ??= readContradictions(reader, numbersOf(this.refs));
    const found = await this.contradictions.catch(() => readContradictions(reader, [event]));
    return found.get(event) ?? null;
  }
}

async function readEvents(session: Session, ids: readonly number[]): Promise<Events> {
  const rows = rowsOf<Row>(await session.query(queries.eventRecords, [ids.join()]));
  return new Map(rows.map((row) => [Number(row.event_id), row]));
}

/** The number of an event by its evidence id. */
export function eventNumber(ref: string): number | null {
  const found = /^event:(\d{1,9})$/.exec(ref);
  return found ? Number(found[1]) : null;
}

const numbersOf = (refs: readonly string[]): number[] => refs.flatMap((ref) => eventNumber(ref) ?? []);
