export interface Codec {
  pack(value: unknown): string;
  unpack(text: string): unknown;
}
type Node = readonly [tag: string, ...parts: unknown[]];

/**
 * Structured clone as text, for the wire between Node and Chromium. Self-contained, because its source text is also
 * run inside the page. What structuredClone refuses is refused here by structuredClone itself.
 */
export function makePack(toBase64: (bytes: Uint8Array) => string): (value: unknown) => string {
  return (input) => {
    const nodes: (Node | null)[] = [];
    const seen = new Map<unknown, number>();
    const nodeOf = (value: object): Node => {
      const tag = Object.prototype.toString.call(value).slice(8, -1);
      if (Array.isArray(value)) return ['Array', value.map(put)];
      if (value instanceof Date) return ['Date', value.getTime()];
      if (value instanceof Map) return ['Map', [...value].map(([key, item]) => [put(key), put(item)])];
      if (value instanceof Set) return ['Set', [...value].map(put)];
      if (value instanceof ArrayBuffer) return ['ArrayBuffer', toBase64(new Uint8Array(value))];
      if (ArrayBuffer.isView(value))
        return ['View', tag, toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))];
      if (value instanceof Error) return ['Error', value.name, value.message];
      if (tag === 'Object') return ['Object', Object.entries(value).map(([key, item]) => [key, put(item)])];
      throw new Error(`electron stand-in: ${tag} is cloneable but not carried`);
    };
    const put = (value: unknown): unknown => {
      if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
      if (typeof value === 'number')
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : [-1, Object.is(value, -0) ? '-0' : String(value)];
      if (value === undefined) return [-2];
      if (typeof value === 'bigint') return [-3, String(value)];
      const known = seen.get(value);
      if (known !== undefined) return [known];
      const id = nodes.push(null) - 1;
      seen.set(value, id);
      nodes[id] = nodeOf(value as object);
      return [id];
    };
    const root = put(structuredClone(input));
    return JSON.stringify([root, nodes]);
  };
}

/** The other direction; self-contained for the same reason. */
export function makeUnpack(fromBase64: (text: string) => Uint8Array): (text: string) => unknown {
  return (text) => {
    const [root, nodes] = JSON.parse(text) as [unknown, Node[]];
    const made: unknown[] = [];
    const bytes = (encoded: unknown): ArrayBuffer => new Uint8Array(fromBase64(String(encoded))).buffer;
    const fill = (id: number, [tag, first, second]: Node): unknown => {
      const items = first as unknown[];
      const pairs = first as [unknown, unknown][];
      const keep = <T>(value: T): T => {
        made[id] = value;
        return value;
      };
      if (tag === 'Array') {
        const array = keep<unknown[]>([]);
        for (const item of items) array.push(get(item));
        return array;
      }
      if (tag === 'Object') {
        const object = keep<Record<string, unknown>>({});
        for (const [key, item] of pairs)
          Object.defineProperty(object, String(key), {
            value: get(item),
            writable: true,
            enumerable: true,
            configurable: true,
          });
        return object;
      }
      if (tag === 'Map') {
        const map = keep(new Map<unknown, unknown>());
        for (const [key, item] of pairs) map.set(get(key), get(item));
        return map;
      }
      if (tag === 'Set') {
        const set = keep(new Set<unknown>());
        for (const item of items) set.add(get(item));
        return set;
      }
      if (tag === 'Date') return keep(new Date(first as number));
      if (tag === 'ArrayBuffer') return keep(bytes(first));
      if (tag === 'Error') return keep(Object.assign(new Error(String(second)), { name: String(first) }));
      const View = (globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => unknown>)[String(first)];
      if (tag !== 'View' || !View) throw new Error(`electron stand-in: cannot unpack ${tag}`);
      return keep(new View(bytes(second)));
    };
    const get = (value: unknown): unknown => {
      if (!Array.isArray(value)) return value;
      const [id, detail] = value as [number, string];
      if (id === -1) return Number(detail);
      if (id === -2) return undefined;
      if (id === -3) return BigInt(detail);
      return id in made ? made[id] : fill(id, nodes[id]!);
    };
    return get(root);
  };
}

export const codec: Codec = {
  pack: makePack((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')),
  unpack: makeUnpack((text) => Buffer.from(text, 'base64')),
};

/** The same codec as source text for a page, where base64 belongs to Uint8Array. */
export const codecSource = `({
  pack: (${makePack.toString()})((bytes) => bytes.toBase64()),
  unpack: (${makeUnpack.toString()})((text) => Uint8Array.fromBase64(text)),
})`;
