// Two bundles: the extension (node) and the search view (browser). `--watch` rebuilds on change.
import * as esbuild from 'esbuild';

const watch = process.argv.includes('--watch');
const common = { bundle: true, minify: !watch, sourcemap: watch, logLevel: 'info', legalComments: 'linked' };

const builds = [
  {
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode'],
  },
  {
    ...common,
    entryPoints: ['src/webview/search.ts'],
    outfile: 'dist/search.js',
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
  },
];

for (const options of builds) {
  if (watch) {
    await (await esbuild.context(options)).watch();
  } else {
    await esbuild.build(options);
  }
}
