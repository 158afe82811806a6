import { z } from 'zod';
import { fail } from '../../model/problem.ts';
import bundled from './action-items.yaml?raw';
import { issueWords, readYaml } from './yaml-issues.ts';

const itemSchema = z.object({ types: z.array(z.string()).min(1), text: z.string(), source: z.string() });
/** Something that is usually worth doing after an event of one of these types. */
export type ActionItem = z.infer<typeof itemSchema>;
const fileSchema = z.object({ version: z.literal(1), items: z.array(itemSchema) });

/** In the order of the file; each at most once, with the types that brought it up. */
export function actionItemsFor(types: readonly string[]): ActionItem[] {
  const asked = new Set(types);
  return items.flatMap((item) => {
    const own = item.types.filter((type) => asked.has(type));
    return own.length > 0 ? [{ ...item, types: own }] : [];
  });
}

const items = parse(bundled);

function parse(yaml: string): readonly ActionItem[] {
  const read = readYaml(yaml, fileSchema);
  if ('issues' in read) return fail('actions.invalid', read.issues.map(issueWords).join('; '));
  return read.data.items;
}
