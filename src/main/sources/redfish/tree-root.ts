import type { FileHead } from '../../../model/storage/source.ts';
import { isObject, normalizeId, textOf } from './format.ts';

/**
 * Where the tree that a file belongs to starts: the path without those folders at its end that repeat the end of the
 * resource's own address, so that the trees of two machines in one folder stay apart. Files that are not laid out
 * by address (flat names, hashes) belong to their folder; a file without an address is a separate data source.
 */
export function treeRoot(path: string, head: FileHead): string {
  const folders = path.split('/');
  const name = (folders.pop() ?? '').replace(/\.json(\.\w+)?$/i, '');
  const object = isObject(head.object) ? head.object : {};
  const id = normalizeId(textOf(object['@odata.id'])).split('/').filter(Boolean);
  if (id.length === 0) return 'Events' in object ? path : folders.join('/');
  if (name !== 'index') {
    // `Chassis/1.json` is laid out by address too; any other name is not.
    if (name !== id.at(-1)) return folders.join('/');
    folders.push(name);
  }
  // Everything from the collection below `/redfish/v1` on, even where a mockup got a name in between wrong.
  const depth = folders.length - (id.length - 2);
  if (id.length > 2 && folders[depth] === id[2]) folders.splice(depth);
  if (folders.at(-1) === 'v1') folders.pop();
  if (folders.at(-1) === 'redfish') folders.pop();
  return folders.join('/');
}
