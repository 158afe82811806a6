/** One value on its way between the two worlds of a page: plain data, or a reference to a function or promise. */
type Packed =
  | readonly ['value', unknown]
  | readonly ['list', readonly Packed[]]
  | readonly ['object', readonly (readonly [string, Packed])[]]
  | readonly ['error', string]
  | readonly ['function' | 'promise', number];

type Message =
  | { readonly op: 'expose'; readonly key: string; readonly value: Packed }
  | { readonly op: 'call'; readonly id: number; readonly args: readonly Packed[] }
  | { readonly op: 'reply'; readonly ok: boolean; readonly value: Packed }
  | { readonly op: 'settle'; readonly id: number; readonly ok: boolean; readonly value: Packed };

export interface Bridge {
  expose(key: string, api: unknown): void;
}
interface Packing {
  pack(value: unknown): Packed;
  unpack(packed: Packed): unknown;
  call(id: number, args: readonly unknown[]): unknown;
  settle(message: Extract<Message, { op: 'settle' }>): void;
}

/** Values, functions, promises and errors across the border of two worlds. Self-contained: it runs in pages as text. */
export function makePacking(
  post: (message: Message) => void,
  send: (id: number, args: readonly Packed[]) => Extract<Message, { op: 'reply' }>,
): Packing {
  const functions: ((...args: unknown[]) => unknown)[] = [];
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let nextPromise = 0;
  const packPromise = (promise: PromiseLike<unknown>): Packed => {
    const id = nextPromise++;
    promise.then(
      (value) => post({ op: 'settle', id, ok: true, value: pack(value) }),
      (error: unknown) => post({ op: 'settle', id, ok: false, value: pack(error) }),
    );
    return ['promise', id];
  };
  const pack = (value: unknown): Packed => {
    if (typeof value === 'function') return ['function', functions.push(value as () => unknown) - 1];
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.');
    if (value === null || typeof value !== 'object') return ['value', value];
    if ('then' in value && typeof value.then === 'function')
      return packPromise(value as unknown as PromiseLike<unknown>);
    if (value instanceof Error) return ['error', value.message];
    if (Array.isArray(value)) return ['list', value.map(pack)];
    if (typeof Blob !== 'undefined' && value instanceof Blob) return ['value', value];
    if (Object.prototype.toString.call(value) === '[object Object]')
      return ['object', Object.entries(value).map(([key, item]) => [key, pack(item)] as const)];
    return ['value', structuredClone(value)];
  };
  const unpack = (packed: Packed): unknown => {
    const [kind, content] = packed;
    if (kind === 'value') return content;
    if (kind === 'list') return content.map(unpack);
    if (kind === 'object') return Object.fromEntries(content.map(([key, item]) => [key, unpack(item)]));
    if (kind === 'error') return new Error(content);
    if (kind === 'promise') return new Promise((resolve, reject) => waiting.set(content, { resolve, reject }));
    return (...args: unknown[]) => {
      const reply = send(content, args.map(pack));
      const result = unpack(reply.value);
      if (!reply.ok) throw result;
      return result;
    };
  };
  return {
    pack,
    unpack,
    call: (id, args) => functions[id]?.(...args),
    settle: ({ id, ok, value }) => {
      const promise = waiting.get(id);
      waiting.delete(id);
      if (ok) promise?.resolve(unpack(value));
      else promise?.reject(unpack(value));
    },
  };
}

/**
 * contextBridge between two V8 worlds of one page, over CustomEvents on its window: the browser clones `detail`
 * from world to world. The same text runs in both; `role` selects the side.
 */
export function makeBridge(role: 'page' | 'preload', channel: string, packing: typeof makePacking): Bridge {
  const other = role === 'page' ? 'preload' : 'page';
  const post = (message: Message): void =>
    void window.dispatchEvent(new CustomEvent(`${channel}:${other}`, { detail: message }));
  let reply: Extract<Message, { op: 'reply' }> | undefined;
  const { pack, unpack, call, settle } = packing(post, (id, args) => {
    reply = undefined;
    post({ op: 'call', id, args });
    const received = reply as Extract<Message, { op: 'reply' }> | undefined;
    if (!received) throw new Error('contextBridge: the other world did not answer');
    return received;
  });
  const freeze = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    for (const item of Object.values(value)) freeze(item);
    return Object.freeze(value);
  };
  const answer = (id: number, args: readonly Packed[]): Message => {
    try {
      return { op: 'reply', ok: true, value: pack(call(id, args.map(unpack))) };
    } catch (error) {
      return { op: 'reply', ok: false, value: pack(error) };
    }
  };
  window.addEventListener(`${channel}:${role}`, (event) => {
    event.stopImmediatePropagation();
    const message = (event as CustomEvent<Message>).detail;
    if (message.op === 'expose')
      Object.defineProperty(window, message.key, { value: freeze(unpack(message.value)), enumerable: true });
    else if (message.op === 'call') post(answer(message.id, message.args));
    else if (message.op === 'reply') reply = message;
    else settle(message);
  });
  return { expose: (key, api) => post({ op: 'expose', key, value: pack(api) }) };
}

/** Both functions as one text, to be placed before code that calls `makeBridge(role, channel, makePacking)`. */
export const bridgeSource = `const makePacking = ${makePacking.toString()};\nconst makeBridge = ${makeBridge.toString()};`;
