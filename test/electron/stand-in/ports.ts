import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Electron's main-process port, on a port of worker_threads: queued until `start()`, unusable once transferred. */
export class MessagePortMain extends EventEmitter {
  private readonly raw: MessagePort;
  private started = false;
  private transferred = false;

  constructor(raw: MessagePort) {
    super();
    this.raw = raw;
    raw.on('close', () => {
      if (!this.transferred) this.emit('close');
    });
    raw.unref();
  }

  postMessage(message: unknown, transfer: readonly MessagePortMain[] = []): void {
    if (transfer.length > 0) throw new Error('electron stand-in: nested ports are not carried');
    if (!this.transferred) this.raw.postMessage(message);
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    this.raw.on('message', (data: unknown) => this.emit('message', { data, ports: [] }));
    this.raw.unref();
  }

  close(): void {
    this.raw.close();
  }

  /** Gives the port away; this object is dead from then on. Not a member of Electron's class. */
  static take(port: MessagePortMain): MessagePort {
    if (port.transferred) throw new Error('Port at index 0 is already neutered');
    port.transferred = true;
    port.raw.removeAllListeners('message');
    return port.raw;
  }
}

export class MessageChannelMain {
  readonly port1: MessagePortMain;
  readonly port2: MessagePortMain;
  constructor() {
    const channel = new MessageChannel();
    this.port1 = new MessagePortMain(channel.port1);
    this.port2 = new MessagePortMain(channel.port2);
  }
}
