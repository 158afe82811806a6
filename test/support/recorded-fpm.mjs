#!/usr/bin/env node
// In fpm's place, which has to be downloaded: writes what it is asked for into the file RECORDED_FPM, with the texts of the scripts.
import { readFileSync, writeFileSync } from 'node:fs';

const args = process.argv.slice(2);
const scriptOf = (option) => readFileSync(args[args.indexOf(option) + 1], 'utf8');
const scripts = { afterInstall: scriptOf('--after-install'), afterRemove: scriptOf('--after-remove') };
writeFileSync(process.env.RECORDED_FPM, JSON.stringify({ args, scripts }));
writeFileSync(args[args.indexOf('--package') + 1], '');
