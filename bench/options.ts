import { parseArgs } from 'node:util';

/**
 * What `npm run bench -- …` takes: `--only import,queries` runs these alone, `--spans` is the size of the case that
 * is questioned or, by `--only curves`, imported, `--folder` where it lies, `--gigabytes` the size of the file over
 * which memory is measured; `--only capture` takes `--seconds` and
 * `--part idle|agents|load`; `--only failing-machines` takes `--machines 4000,20000` and `--part sag-1`; `--only corpus` takes `--split tune|check|test`, `--family pdu_sag`, `--part jobs` (families of training jobs) and `--fit`,
 * with `--split check` also `--seed 4000 --each 100`: incidents by other seeds; `--compare bench/corpus/verdicts.jsonl.gz`
 * prints which verdicts differ from those recorded there, `--record` writes such a file; `--only worlds` takes `--world`,
 * `--seed`, `--each`, `--family`, `--cases FOLDER`, `--write FOLDER`, `--fit`, `--across` and `--learn 4000-4059,5000`;
 * `--verbose` lists each wrong verdict of the corpus and of worlds, and how each public
 * incident was judged; `--set impact.timesWorse=2.5`, as often as wanted, sets a parameter of the analysis, and
 * `--only parameters` lists them.
 */
export const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    spans: { type: 'string' },
    folder: { type: 'string' },
    gigabytes: { type: 'string' },
    seconds: { type: 'string' },
    part: { type: 'string' },
    split: { type: 'string' },
    family: { type: 'string' },
    seed: { type: 'string' },
    each: { type: 'string' },
    machines: { type: 'string' },
    fit: { type: 'boolean' },
    record: { type: 'string' },
    compare: { type: 'string' },
    world: { type: 'string' },
    write: { type: 'string' },
    cases: { type: 'string' },
    across: { type: 'boolean' },
    learn: { type: 'string', default: '4000-4099' },
    verbose: { type: 'boolean' },
    set: { type: 'string', multiple: true },
  },
});
