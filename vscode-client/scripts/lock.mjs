// Writes package-lock.json anew and leaves addresses out of it: downloads come from wherever the user's npm is set up to get
// them. `.npmrc` keeps the download addresses out; the addresses for donations, which npm copies from the packages, go here.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { stdio: 'inherit' });
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
}
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
