import type { Session } from '../../../model/storage/engine.ts';
import { readEdgeEdits } from '../../store/case-file/annotations.ts';
import { createReader, type Reader } from '../../store/facts/reader.ts';
import { readRecordedEdges } from '../../store/facts/recorded-edges.ts';

export type Entities = Awaited<ReturnType<Reader['entities']>>;

/** What many records of one answer need of the whole case: read by the first that asks, with its session. */
export class SharedFacts {
  private known: Promise<Entities> | undefined;
  private links: ReturnType<typeof readRecordedEdges> | undefined;
  private changes: ReturnType<typeof readEdgeEdits> | undefined;

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
}
