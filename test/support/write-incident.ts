import { catalog } from '../../bench/corpus/catalog.ts';
import { writeFiles } from '../../bench/corpus/files.ts';
import { generateIncident } from '../../bench/corpus/generate.ts';

/**
 * `node --import ./bench/raw-text.mjs test/support/write-incident.ts ID DIRECTORY`: the files of one incident of the
 * corpus, as a site would hand them over; prints their paths and the truth as JSON.
 */
const [id, directory] = process.argv.slice(2);
const entry = catalog().find((each) => each.id === id);
if (!entry || !directory) throw new Error(`usage: ID DIRECTORY; ${id ?? 'no id'} is none of the corpus`);
const { label, recording } = generateIncident(entry);
const files = await writeFiles(directory, recording);
const whole = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
process.stdout.write(JSON.stringify({ files, label }, whole));
