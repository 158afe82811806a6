const RUNNING = 0;
const STOPPING = 1;

/** Whether native libraries work for a thread, in memory that it shares with the thread that may want to end it. */
export class NativeWork {
  private readonly state: Int32Array<SharedArrayBuffer>;

  constructor(memory = new SharedArrayBuffer(8)) {
    this.state = new Int32Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.state.buffer;
  }

  /** In the thread, before a library is called. @throws when the thread is about to be ended */
  begin(): void {
    Atomics.add(this.state, RUNNING, 1);
    if (Atomics.load(this.state, STOPPING) === 0) return;
    this.end();
    throw new Error('the import was abandoned');
  }

  /** In the thread, when nothing of the library runs any more. */
  end(): void {
    Atomics.sub(this.state, RUNNING, 1);
  }

  /** Outside: forbids any more of it; whether some is under way. */
  forbid(): boolean {
    Atomics.store(this.state, STOPPING, 1);
    return Atomics.load(this.state, RUNNING) > 0;
  }
}
