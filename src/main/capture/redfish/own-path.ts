/** Longer links are made to hurt. */
const LONGEST = 2000;

/**
 * A link of a controller as a path with query on that same controller; undefined when it leads anywhere else. Where a link
 * ends, and not what it is made of, decides: `//elsewhere/redfish`, `..` and user names in it are seen through.
 */
export function ownPath(link: string, controller: string): string | undefined {
  if (link === '' || link.length > LONGEST || !URL.canParse(link, controller)) return undefined;
  const { origin, username, pathname, search } = new URL(link, controller);
  const isOwn = origin === new URL(controller).origin && username === '' && pathname.startsWith('/redfish/');
  return isOwn ? `${pathname}${search}` : undefined;
}
