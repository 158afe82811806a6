import type { TraceEvent } from './format.ts';

interface Process {
  name: string;
  labels: string;
}

export interface Track {
  readonly pid: string;
  readonly tid: string;
}

/** The threads of a trace, and their names from metadata events, which may be anywhere in the file. */
export class Tracks {
  readonly list: Track[] = [];
  /** Processes of this trace are machines (Ingero exports a process per node). */
  machines = false;
  /** Faultline's own metadata of a process, by pid, and of a counter, by pid and name. */
  readonly stated = new Map<string, TraceEvent['args']>();
  private readonly numbers = new Map<string, number>();
  private readonly processes = new Map<string, Process>();
  private readonly threads = new Map<string, string>();

  of(pid: string, tid: string): number {
    const key = `${pid}\n${tid}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.list.push({ pid, tid }) - 1;
      this.numbers.set(key, number);
    }
    return number;
  }

  name({ name, pid, tid, args }: TraceEvent): void {
    const process = this.processes.get(pid) ?? { name: '', labels: '' };
    if (name === 'process_name' && typeof args['name'] === 'string') process.name = args['name'];
    else if (name === 'process_labels' && typeof args['labels'] === 'string') process.labels = args['labels'];
    else if (name === 'faultline_process') this.stated.set(pid, args);
    else if (name === 'faultline_series') this.stated.set(`${pid}\n${String(args['counter'])}`, args);
    else if (name === 'thread_name' && typeof args['name'] === 'string')
      this.threads.set(`${pid}\n${tid}`, args['name']);
    this.processes.set(pid, process);
  }

  process(pid: string): Readonly<Process> {
    return this.processes.get(pid) ?? { name: '', labels: '' };
  }

  thread({ pid, tid }: Track): string {
    return this.threads.get(`${pid}\n${tid}`) ?? '';
  }

  /** The process that owns a recording of PyTorch: GPUs are processes of their own there, and so is the profiler. */
  mainProcess(): string {
    for (const [pid, { labels }] of this.processes) if (labels === 'CPU') return pid;
    return this.list.find(({ pid }) => /^\d+$/.test(pid))?.pid ?? '';
  }
}
