/**
 * Chromium cannot be taught a scheme from outside, so `app://bundle/x` is shown to it as
 * `http://bundle.app.localhost:PORT/x`: loopback, a secure context, its own origin. Main sees only the first form.
 */
export interface AddressBook {
  toWeb(url: string): string;
  fromWeb(url: string): string;
}

export function createAddressBook(schemes: () => Iterable<string>, port: () => number): AddressBook {
  const isOurs = (scheme: string): boolean => [...schemes()].includes(scheme);
  return {
    toWeb: (url) => {
      const [, scheme = '', host = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
      const lower = scheme.toLowerCase();
      return isOurs(lower) ? `http://${host}.${lower}.localhost:${port()}${rest}` : url;
    },
    fromWeb: (url) => {
      if (!URL.canParse(url)) return url;
      const { hostname, port: urlPort, pathname, search, hash } = new URL(url);
      const [, host = '', scheme = ''] = /^(.*)\.([a-z0-9-]+)\.localhost$/.exec(hostname) ?? [];
      return urlPort === String(port()) && isOurs(scheme) ? `${scheme}://${host}${pathname}${search}${hash}` : url;
    },
  };
}
