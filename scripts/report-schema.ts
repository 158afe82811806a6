import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { reportDocumentSchema } from '../src/model/incident/report-document.ts';

// Writes docs/report.schema.json anew from the schema in the source; a test compares both.
const about = {
  title: 'Faultline post-mortem',
  description: 'What `faultline report --format json` prints.',
};
writeFileSync(
  'docs/report.schema.json',
  `${JSON.stringify({ ...about, ...z.toJSONSchema(reportDocumentSchema) }, null, 2)}\n`,
);
