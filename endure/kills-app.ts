// The app without a window, in a process that is killed. `load ROOT FILE` opens a bundle or a case and reports it,
// `annotate ROOT CASE` puts notes and takes some away, one after the other, for as long as it lives.
import { openApp } from '../fuzz/open-app.ts';

const [work, root, file] = process.argv.slice(2) as [string, string, string];
const app = openApp(root);
const handle = await app.register(file);
const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
/** Every so many notes one is taken away. */
const REMOVE_EVERY = 5;

async function load(): Promise<void> {
  for await (const event of app.api['case.load']({ handle }))
    if (event.kind === 'opened') printLine(`opened ${event.info.name}`);
  await app.close();
}

async function annotate(): Promise<never> {
  await app.api['case.open']({ handle });
  printLine('open');
  for (let number = 1; ; number++) {
    const id = `note-${number}`;
    const made_at_ns = BigInt(Date.now()) * 1_000_000n;
    const about = { kind: 'note', target: null, at_ns: made_at_ns, until_ns: null, made_at_ns } as const;
    await app.api['annotations.change']({ put: [{ ...about, id, text: `text of ${id}` }] });
    printLine(`put ${id}`);
    if (number % REMOVE_EVERY !== 0) continue;
    await app.api['annotations.change']({ remove: [id] });
    printLine(`removed ${id}`);
  }
}

printLine('ready');
await (work === 'load' ? load() : annotate());
