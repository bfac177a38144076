// One page session: restricted folder -> squiggle -> wrong interpreter and back -> trust -> quick-fix, hover, code lens ->
// rewrites in the light bulb -> verified, applied, undone -> kernel refined -> tiling search from the palette -> live curve ->
// diff -> result applied -> the changed operator runs -> rewound -> a search cancelled.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { folders, openBrowser, prepareBank, prepareWorkspace, setBudget, setInterpreter, startEditor, StepFailed, Steps, until } from './harness.mjs';
import { Workbench } from './workbench.mjs';

const BUDGET = 16;
const LONG_BUDGET = 2000;
// A cold model device builds its runtime first.
const DEVICE_MS = 240_000;
const SEARCH_MS = 240_000;
// Longer than any honest run: whatever hangs then is a failure too.
const LIMIT_MS = 900_000;

const steps = new Steps();
let editor;
let browser;

function expect(condition, what) {
  if (!condition) {
    throw new Error(what);
  }
}

async function scenario() {
  let files;
  let page;
  let bench;
  await steps.run('workspace with a faulty kernel', undefined, async () => {
    files = await prepareWorkspace();
  });
  await steps.run('a bank with what rewind learns from a strong operator', undefined, prepareBank);
  await steps.run('code-server with the extension', undefined, async () => {
    editor = await startEditor(BUDGET);
  });
  await steps.run('workbench in Chromium', undefined, async () => {
    ({ browser, page } = await openBrowser(editor.port, files.kernel));
    bench = new Workbench(page);
    await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await page.locator('.monaco-editor .view-line').first().waitFor({ timeout: 60_000 });
  });
  const run = (name, body) => steps.run(name, page, body);

  await run('restricted: squiggle under the second FreeTensor', async () => {
    await page.locator('.statusbar').getByText('Restricted Mode').waitFor({ timeout: 20_000 });
    await bench.goTo(files.faultLine, 12);
    await bench.squiggles.first().waitFor({ state: 'attached', timeout: 60_000 });
  });
  await run('restricted: the message', async () => {
    await bench.hover(/y is given back to yQueue twice.*ASC-QUE001/s);
  });
  await run('restricted: the status says so', async () => {
    await page.keyboard.press('Escape');
    await bench.languageStatus.click();
    await bench.expectText(page.locator('.hover-language-status'), /AscendOptimizer.*ready \(restricted: diagnostics only\).*Show logs/s);
  });
  await run('restricted: no lens, no search in the palette', async () => {
    await page.keyboard.press('Escape');
    expect((await bench.lenses.count()) === 0, 'there is a code lens');
    const rows = await bench.offered('>AscendOptimizer: ');
    await rows.filter({ hasText: 'Restart Server' }).waitFor({ timeout: 15_000 });
    const searches = rows.filter({ hasText: /Search Tiling|Refine Kernel|Optimize Operator|Rewind Operator/ });
    expect((await searches.count()) === 0, 'the palette offers a search');
  });
  await run('a wrong interpreter is named', async () => {
    await page.keyboard.press('Escape');
    await setInterpreter('/nowhere/python');
    await bench.expectText(page.locator('.notification-list-item'), /server of the setting "ascendopt\.interpreter" does not start: there is no program \/nowhere\/python/);
    await bench.squiggles.first().waitFor({ state: 'detached', timeout: 20_000 });
  });
  await run('the right interpreter is taken up', async () => {
    await setInterpreter(folders.python);
    await bench.squiggles.first().waitFor({ state: 'attached', timeout: 20_000 });
    await bench.command('Notifications: Clear All Notifications');
  });
  await run('trusted: UB use of the active case in the code lens', async () => {
    await bench.trustFolder();
    await bench.goTo(files.faultLine, 12);
    // Three queues of one buffer of 256 half numbers: 3 * 512 bytes = 1.5 KB; 1.5 / 191.75 = 0.8 %.
    await bench.expectText(bench.lenses, /UB 1\.5 KB of 191\.75 KB \(<1 %\) on Ascend910B2, case large\/float16.*Search tiling/s, DEVICE_MS);
  });
  await run('trusted: the status names the device', async () => {
    await bench.languageStatus.click();
    await bench.expectText(page.locator('.hover-language-status'), /AscendOptimizer.*ready · model device \(modelled\).*Show logs/s);
  });
  await run('quick-fix offered', async () => {
    await page.keyboard.press('Escape');
    await bench.goTo(files.faultLine, 12);
    await bench.lightBulb();
  });
  await run('quick-fix applied and saved', async () => {
    await page.keyboard.press('Enter');
    await bench.squiggles.first().waitFor({ state: 'detached', timeout: 20_000 });
    await page.keyboard.press('Control+S');
    const frees = (text) => text.split('yQueue.FreeTensor(y)').length - 1;
    await until(async () => frees(await readFile(files.kernel, 'utf8')) === 1, 10_000, 'one FreeTensor is left on disk');
  });
  await run('hover on a queue: bytes and share of UB', async () => {
    await bench.goTo(files.queueLine, files.queueColumn);
    // One buffer of 256 half numbers: 512 bytes; 0.5 / 191.75 = 0.3 %.
    await bench.hover(/x1Queue.*Size: 512 bytes.*Share: <1 % of the 191\.75 KB of UB/s);
  });
  await run('light bulb on the queue: a rewrite with its evidence', async () => {
    await page.keyboard.press('Escape');
    await bench.goTo(files.queueLine, files.queueColumn);
    const rows = await bench.lightBulb();
    await bench.expectText(rows, /AscendC: two buffers instead of one: .*\(1\.\d\dx modelled, held \d+ of \d+, from \w+\)/);
    await bench.expectText(rows, /AscendC: verify and apply: two buffers instead of one/);
  });
  await run('verification runs in the background', async () => {
    await bench.pick('verify and apply: two buffers');
    await bench.expectText(bench.notifications, /Verifying the rewrite: scaled_add (as it is|with the rewrite)/s, DEVICE_MS);
  });
  await run('verification cancelled: nothing is changed', async () => {
    await bench.notifications.getByText('Cancel', { exact: true }).click();
    await bench.notifications.first().waitFor({ state: 'hidden', timeout: 20_000 });
    await bench.goTo(1, 1);
    expect((await bench.shownText()).includes('BUFFER_NUM = 1;'), 'the text has changed');
  });
  await run('verify and apply: the edit and what it rests on', async () => {
    await bench.goTo(files.queueLine, files.queueColumn);
    await bench.lightBulb();
    await bench.pick('verify and apply: two buffers');
    const applied = /Applied, \d+\.\d\dx faster: .* µs \(modelled; 95 % interval .*correct on 9 cases: two buffers instead of one/;
    await bench.expectText(bench.notifications, applied, DEVICE_MS);
    await bench.goTo(1, 1);
    expect((await bench.shownText()).includes('BUFFER_NUM = 2;'), 'the editor does not show two buffers');
  });
  await run('one undo takes it back', async () => {
    await page.keyboard.press('Control+Z');
    await until(async () => (await bench.shownText()).includes('BUFFER_NUM = 1;'), 10_000, 'the editor shows one buffer');
    await bench.command('Notifications: Clear All Notifications');
  });
  await run('kernel refinement from the palette', async () => {
    await bench.command('AscendOptimizer: Refine Kernel');
    await until(async () => (await bench.search()).state === 'running', 20_000, 'the search view runs');
    const view = await bench.ended(SEARCH_MS);
    expect(view.state === 'done', `the refinement ended as ${view.state}: ${view.message}`);
    expect(/x faster: .*\(modelled/.test(view.message), `no gain that is said to be modelled: ${view.message}`);
  });
  await run('refinement applied to the editor and saved', async () => {
    await bench.searchButton('apply');
    await until(async () => (await bench.search()).state === 'applied', 20_000, 'the view says applied');
    await bench.command('File: Save All Files');
    await until(async () => /BUFFER_NUM = 2;/.test(await readFile(files.kernel, 'utf8')), 15_000, 'the kernel on disk has two buffers');
  });
  await run('tiling search from the palette', async () => {
    // Refinement lengthens tiles as well: the search gets its slow start back.
    const host = await readFile(files.host, 'utf8');
    await writeFile(files.host, host.replace(/TILE_LENGTH = \d+;/, 'TILE_LENGTH = 256;'));
    await bench.command('AscendOptimizer: Search Tiling');
    await until(async () => (await bench.search()).state === 'running', 20_000, 'the search view runs');
  });
  await run('live curve', async () => {
    await until(
      async () => {
        const view = await bench.search();
        return (view.state !== 'running' && view) || (view.trials >= 6 && view.bestLine > 50 && view.baselineLine > 50);
      },
      DEVICE_MS,
      'at least 6 trials and a curve are drawn',
    );
    const view = await bench.search();
    expect(view.state === 'running', `the search ended as ${view.state} before a curve was drawn: ${view.message}`);
  });
  await run('search done, result offered', async () => {
    const view = await bench.ended(SEARCH_MS);
    expect(view.state === 'done', `the search ended as ${view.state}: ${view.message}`);
    expect(view.trials === BUDGET && view.rows === BUDGET, `${view.trials} trials and ${view.rows} rows of ${BUDGET}`);
    expect(/modelled/.test(view.figures['Times are'] ?? ''), 'the view does not say that times are modelled');
  });
  await run('diff of the result', async () => {
    await bench.searchButton('diff');
    await page.locator('.monaco-diff-editor .line-insert, .monaco-diff-editor .char-insert').first().waitFor({ state: 'attached', timeout: 20_000 });
    expect((await bench.search()).state === 'done', 'the diff covers the search view');
  });
  await run('result applied to the editor and saved', async () => {
    await bench.searchButton('apply');
    await until(async () => (await bench.search()).state === 'applied', 20_000, 'the view says applied');
    await bench.command('File: Save All Files');
    const tile = async () => Number(/TILE_LENGTH = (\d+);/.exec(await readFile(files.host, 'utf8'))?.[1]);
    await until(async () => (await tile()) > 256, 15_000, 'the host source on disk has a longer tile');
  });
  await run('the changed operator is correct', async () => {
    const command = path.join(folders.root, '.venv/bin/ascendopt');
    const { status, stdout, stderr } = spawnSync(command, ['run', folders.workspace, '--json'], { encoding: 'utf8', timeout: 120_000 });
    expect(status === 0, `ascendopt run ended with ${status}: ${stderr}`);
    const { cases } = JSON.parse(stdout);
    expect(cases.length > 0 && cases.every((one) => one.correct === true), `not every case is correct: ${stdout}`);
  });
  await run('rewind from the palette: what was kept in the bank', async () => {
    await bench.command('AscendOptimizer: Rewind Operator');
    await until(async () => (await bench.search()).state === 'running', 20_000, 'the search view runs');
    const view = await bench.ended(SEARCH_MS);
    expect(view.state === 'done', `the rewind ended as ${view.state}: ${view.message}`);
    expect(view.motifs > 0 && view.motifs === Number(view.figures['Motifs kept']), `${view.motifs} motifs are shown: ${view.message}`);
    expect(view.figures['Bank'] === folders.bank, `the bank is ${view.figures['Bank']}`);
  });
  await run('a second search, paused: no attempt comes', async () => {
    // More than it can try before the palette has opened again.
    await setBudget(LONG_BUDGET);
    await bench.command('AscendOptimizer: Search Tiling');
    await until(async () => (await bench.search()).trials > 0, SEARCH_MS, 'an attempt shows');
    await bench.command('AscendOptimizer: Pause Search');
    await until(async () => (await bench.search()).state === 'paused', 60_000, 'the search rests');
    const { trials } = await bench.search();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await bench.search()).trials === trials, 'an attempt came while the search rested');
  });
  await run('resumed, then cancelled', async () => {
    const { trials } = await bench.search();
    await bench.searchButton('resume');
    await until(async () => (await bench.search()).trials > trials, SEARCH_MS, 'another attempt shows');
    await bench.searchButton('cancel');
    await until(async () => (await bench.search()).state === 'cancelled', 20_000, 'the search is cancelled');
  });
}

async function finish(code) {
  await Promise.race([browser?.close().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 5_000))]);
  editor?.stop();
  process.stdout.write(`${steps.passed} passed, ${steps.failed} failed (screenshots: tests/e2e/artifacts/)\n`);
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => finish(130));
}
setTimeout(() => {
  steps.say('FAIL', `the scenario has not ended within ${LIMIT_MS / 1000} s`);
  void finish(1);
}, LIMIT_MS).unref();

let code = 0;
try {
  await scenario();
} catch (error) {
  code = 1;
  if (!(error instanceof StepFailed)) {
    process.stderr.write(`${error.stack}\n`);
  }
}
await finish(code);
