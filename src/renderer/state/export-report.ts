import { problemOf } from '../client/problem-of.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { saveFile } from './save-file.ts';
import { complain } from './toasts.ts';

/** The post-mortem of the selected incident as it is now, as a Markdown file. */
export async function exportReport(): Promise<void> {
  try {
    const { incident } = useFocus.getState();
    const { name, text } = await client().call('report.render', { format: 'markdown', incident });
    await saveFile(name, new Blob([text], { type: 'text/markdown' }));
  } catch (error) {
    complain(problemOf(error));
  }
}
