export type Json = Record<string, unknown>;
type Listener = (method: string, params: Json) => void;

/** A Chrome DevTools Protocol connection with flat sessions; '' is the browser's own session. */
export class Cdp {
  private readonly socket: WebSocket;
  private readonly pending = new Map<number, PromiseWithResolvers<Json>>();
  private readonly listeners = new Map<string, Listener>();
  private next = 1;

  static async open(url: string): Promise<Cdp> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error('cannot reach Chromium'));
    });
    return new Cdp(socket);
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.onmessage = (event) => this.receive(JSON.parse(String(event.data)) as Json);
    socket.onclose = () => {
      for (const call of this.pending.values()) call.reject(new Error('Chromium went away'));
      this.pending.clear();
    };
  }

  private receive(message: Json): void {
    const { id, error, result, method, params, sessionId = '' } = message;
    if (typeof id !== 'number') {
      this.listeners.get(String(sessionId))?.(String(method), params as Json);
      return;
    }
    const call = this.pending.get(id);
    this.pending.delete(id);
    if (error) call?.reject(new Error(String((error as Json).message)));
    else call?.resolve(result as Json);
  }

  on(sessionId: string, listener: Listener): void {
    this.listeners.set(sessionId, listener);
  }
  off(sessionId: string): void {
    this.listeners.delete(sessionId);
  }

  async send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    if (this.socket.readyState !== WebSocket.OPEN) throw new Error('Chromium went away');
    const call = Promise.withResolvers<Json>();
    const id = this.next++;
    this.pending.set(id, call);
    this.socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return await call.promise;
  }
}
