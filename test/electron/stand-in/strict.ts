/** Asked for by promises, test matchers and module loaders of everything they meet. */
const PROBED_PROPERTIES: ReadonlySet<string> = new Set([
  'then',
  'toJSON',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  '__esModule',
]);

/** A member that nobody wrote throws when touched: a quiet `undefined` would let a broken guard pass its test. */
export function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      if (typeof key === 'symbol' || key in object || PROBED_PROPERTIES.has(key))
        return Reflect.get(object, key, receiver);
      throw new Error(`electron stand-in: ${name}.${key} is not implemented`);
    },
  });
}

/** The event object of the events that a listener may prevent. */
export function preventable<T extends object>(extra: T): T & { defaultPrevented: boolean; preventDefault(): void } {
  const event = {
    ...extra,
    defaultPrevented: false,
    preventDefault(): void {
      event.defaultPrevented = true;
    },
  };
  return event;
}
