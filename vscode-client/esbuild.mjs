// Two bundles: the extension (node) and the search view (browser). `--watch` rebuilds on change.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import * as esbuild from 'esbuild';

const watch = process.argv.includes('--watch');
const common = { bundle: true, minify: !watch, sourcemap: watch, logLevel: 'info', legalComments: 'none', metafile: true };

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

/** The licences of the packages whose sources are in the bundles: they ask to be passed on with every copy. */
function licences(inputs) {
  const found = new Set();
  for (const input of inputs) {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? [];
    if (folder !== undefined) {
      found.add(folder);
    }
  }
  return [...found].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) {
      throw new Error(`${name} comes without a licence file`);
    }
    return `${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
}

if (watch) {
  for (const options of builds) {
    await (await esbuild.context(options)).watch();
  }
} else {
  const results = await Promise.all(builds.map((options) => esbuild.build(options)));
  const inputs = results.flatMap((result) => Object.keys(result.metafile.inputs));
  writeFileSync('dist/THIRD-PARTY.txt', licences(inputs).join('\n----\n\n'));
}
