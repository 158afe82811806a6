import { writeFileSync } from 'node:fs';
import { patternsPage } from '../src/core/analysis/patterns/patterns-page.ts';

// Writes docs/patterns.md anew from the patterns in the source; a test compares both.
writeFileSync('docs/patterns.md', patternsPage());
