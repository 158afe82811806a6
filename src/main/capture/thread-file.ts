/**
 * Location of a worker thread's script: beside its caller in source; beside the program in a build, whose chunks are
 * one folder deeper.
 *
 * @param caller `import.meta.url` of the module that starts it
 */
export function threadFile(caller: string, source: string, built: string): URL {
  const here = new URL(caller);
  if (here.pathname.endsWith('.ts')) return new URL(source, here);
  return new URL(here.pathname.includes('/chunks/') ? `../${built}` : `./${built}`, here);
}
