import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { withSiteLinks } from './links.mts';

const docs = join(import.meta.dirname, '../../docs');

const page = (text: string, name: string) => ({ text, link: `/${name}` });

/** The pages of docs/, as they are: what is not listed here is found by the search, or by a link. */
export default defineConfig({
  title: 'Faultline',
  description: 'Root causes of AI-cluster incidents across power, GPUs and services',
  srcDir: '../docs',
  outDir: '../out/docs',
  cacheDir: '../.cache/vitepress',
  // Files that pages offer (prices, the schema of the report) are no pages, so VitePress leaves them out.
  buildEnd: async ({ srcDir, outDir }) => {
    const offered = (await readdir(srcDir)).filter((name) => /\.(json|yaml)$/.test(name));
    await Promise.all(offered.map((name) => copyFile(join(srcDir, name), join(outDir, name))));
  },
  lastUpdated: false,
  cleanUrls: false,
  markdown: {
    config: (md) => {
      md.core.ruler.push('links-of-site', ({ tokens, env }) => {
        for (const token of tokens)
          if (token.children) token.children = withSiteLinks(token.children, env.relativePath ?? '', docs);
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Tutorial', 'tutorial'), page('Commands', 'commands'), page('Formats', 'formats'), page('What to believe', 'what-to-believe')],
    sidebar: [
      {
        text: 'Use it',
        items: [
          page('Ten-minute tutorial', 'tutorial'),
          page('Tour of the window', 'tour'),
          page('Formats', 'formats'),
          page('Commands', 'commands'),
          page('Notes on commands', 'command-line'),
          page('Live capture', 'capture'),
          page('Archives', 'archives'),
          page('Traces', 'traces'),
          page('TraceQL', 'traceql'),
          page('Patterns', 'patterns'),
          page('Reports', 'report'),
          page('Bundles', 'bundle'),
          page('Browser viewer', 'viewer'),
          page('Exports', 'export'),
          page('Glossary', 'glossary'),
        ],
      },
      {
        text: 'Trust it',
        items: [
          page('What to believe', 'what-to-believe'),
          page('Limits', 'limits'),
          page('How causes are ranked', 'correlator'),
          page('Parameters', 'parameters'),
          page('Performance', 'performance'),
          page('Security', 'security'),
          page('Releases', 'release'),
        ],
      },
      {
        text: 'Work on it',
        items: [page('Design', 'design'), page('Matrix of formats', 'matrix'), page('Decisions', 'decisions/README')],
      },
    ],
  },
});
