/** Longer links are hostile. */
const LONGEST = 2000;

/**
 * A controller's link as a path with query on the same controller; undefined if it leads elsewhere. The resolved URL
 * decides, so `//elsewhere/redfish`, `..` and user names cannot deceive.
 */
export function ownPath(link: string, controller: string): string | undefined {
  if (link === '' || link.length > LONGEST || !URL.canParse(link, controller)) return undefined;
  const { origin, username, pathname, search } = new URL(link, controller);
  const isOwn = origin === new URL(controller).origin && username === '' && pathname.startsWith('/redfish/');
  return isOwn ? `${pathname}${search}` : undefined;
}
