/** `10.0.0.7` of `10.0.0.7:9100` and of `http://10.0.0.7:9100/metrics`. */
export function hostOfInstance(instance: string): string {
  const host = instance.replace(/^[a-z][a-z+]*:\/\//i, '').replace(/\/.*$/, '');
  const match = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(host);
  return (match?.[1] ?? host).replace(/^\[|\]$/g, '');
}
