import type { EntityKind } from '../../../model/entity.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import type { Header } from './header.ts';
import type { Tracks } from './tracks.ts';

/** Whom the events of a process belong to. */
export interface Owner {
  readonly kind: EntityKind & ('rank' | 'process');
  readonly id: string;
  readonly rank: number | undefined;
  /** The machine it runs on, if the trace or the investigator names it. */
  readonly server: string;
}

const RANK = /\brank[\s_-]?(\d{1,6})\b/i;

/**
 * Entities of a trace. A recording of PyTorch is one rank, which it names; elsewhere every pid is a separate process,
 * or a rank if its name contains one.
 */
export class Owners {
  readonly remarks: string[] = [];
  private readonly header: Header;
  private readonly tracks: Tracks;
  private readonly input: SourceInput;
  private readonly known = new Map<string, Owner>();

  constructor(header: Header, tracks: Tracks, input: SourceInput) {
    this.header = header;
    this.tracks = tracks;
    this.input = input;
  }

  of(pid: string): Owner {
    const one = this.header.kineto || this.header.rank !== undefined ? this.tracks.mainProcess() : pid;
    let owner = this.known.get(one);
    if (!owner) {
      owner = this.find(one);
      this.known.set(one, owner);
    }
    return owner;
  }

  private find(pid: string): Owner {
    const { name } = this.tracks.process(pid);
    const machine = this.tracks.machines ? name.replace(/\s*\(?\brank.*$/i, '') : '';
    const server = machine || (this.input.assume.device ?? '');
    const rank = this.header.rank ?? numberIn(name) ?? this.rankInFileName();
    if (rank !== undefined) return { kind: 'rank', id: `rank-${rank}`, rank, server };
    const id = machine || (name === '' ? `${this.stem()}/pid-${pid}` : `${name}/${pid}`);
    return { kind: 'process', id, rank, server };
  }

  private rankInFileName(): number | undefined {
    if (!this.header.kineto) return undefined;
    const rank = numberIn(this.input.name.replace(/_/g, ' '));
    if (rank !== undefined) this.remarks.push(`the rank is not in the recording: ${rank} is read from the file's name`);
    return rank;
  }

  private stem(): string {
    const { assume, name } = this.input;
    if (assume.device !== null) return assume.device;
    this.remarks.push('processes have no names in the recording: they are called after the file');
    return (name.split('/').at(-1) ?? name).replace(/(?:\.[A-Za-z]\w*)+$/, '');
  }
}

const numberIn = (text: string): number | undefined => {
  const match = RANK.exec(text);
  return match ? Number(match[1]) : undefined;
};
