// Compiles `assembly/` to WebAssembly and keeps it as source, so that nothing has to be compiled, found beside the program or
// fetched to run it. `test/sources/otlp-fast-spans.test.ts` compiles again and refuses what is not what this would write.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const root = join(import.meta.dirname, '..');
export const compiledFile = join(root, 'src/main/sources/otlp/fast-spans-wasm.ts');

/** Pages of 64 KiB: what `assembly/rows.ts` lays out, and the compiler's own constants below it. */
const PAGES = '40';

/** The module as a source file. */
export async function compile(): Promise<string> {
  const options = ['-O2', '--runtime', 'stub', '--enable', 'simd', '--noAssert'];
  const memory = ['--initialMemory', PAGES, '--maximumMemory', PAGES];
  let binary: Uint8Array = new Uint8Array(0);
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', join(root, 'assembly'), '--outFile', 'out.wasm', ...options, ...memory],
    {
      writeFile: (name, contents) => {
        if (name === 'out.wasm' && typeof contents !== 'string') binary = contents;
      },
    },
  );
  if (error) throw new Error(stderr.toString());
  return `// Made of \`assembly/\` by scripts/compile-assembly.ts.\nexport const fastSpansWasm =\n  '${Buffer.from(binary).toString('base64')}';\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(compiledFile, await compile());
