// `npm run bench`: one line per budget of DESIGN section 7 that exists so far. A missed budget is said openly.
import { benchCancel } from './cancel.ts';
import { benchCorrelate } from './correlate.ts';
import { benchImport } from './import.ts';
import { benchSameSpans } from './same-spans.ts';

await benchImport();
await benchSameSpans();
await benchCancel();
await benchCorrelate();
console.log(
  '\nNot measured yet: one trace out of 50 M spans, index overhead, frames over 1 M marks, opening 1 GB, idle capture.',
);
