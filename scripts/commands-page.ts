import { writeFileSync } from 'node:fs';
import { commandsPage } from '../src/main/hosts/commands-page.ts';

// Writes docs/commands.md anew from the definitions of the commands; a test compares both.
writeFileSync('docs/commands.md', commandsPage());
