// One page session: squiggle -> quick-fix -> tiling search from the palette -> live curve -> result applied.
import { readFile } from 'node:fs/promises';
import { folders, openBrowser, prepareWorkspace, startEditor, StepFailed, Steps, until } from './harness.mjs';

const BUDGET = 16;
// A cold model device builds its runtime first.
const FIRST_TRIAL_MS = 240_000;
const SEARCH_MS = 240_000;

const steps = new Steps();
let editor;
let browser;
let page;

async function palette(command) {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input').first();
  await input.waitFor({ timeout: 10_000 });
  await input.fill(`>${command}`);
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: command }).first().waitFor({ timeout: 15_000 });
  await page.keyboard.press('Enter');
}

/** Puts the cursor at a 1-based place, through the palette so that the line is scrolled into view. */
async function goTo(line, column) {
  await page.locator('.monaco-editor .view-lines').first().click();
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input').first();
  await input.waitFor({ timeout: 10_000 });
  await input.fill(`:${line}:${column}`);
  await page.keyboard.press('Enter');
}

/** The document of the search view: a frame within a frame. */
async function searchView() {
  for (const frame of page.frames()) {
    const state = await frame.evaluate(() => document.body?.dataset.state).catch(() => undefined);
    if (state !== undefined) {
      return frame;
    }
  }
  throw new Error('the search view is not open');
}

async function viewState() {
  const frame = await searchView();
  return await frame.evaluate(() => ({
    state: document.body.dataset.state,
    trials: Number(document.body.dataset.trials),
    curve: document.querySelector('#chart canvas') !== null,
    message: document.getElementById('message').textContent,
  }));
}

async function expectRunningUntilDone() {
  const end = await until(
    async () => {
      const view = await viewState();
      return view.state !== 'running' && view;
    },
    SEARCH_MS,
    'the search ends',
  );
  if (end.state !== 'done') {
    throw new Error(`the search ended as ${end.state}: ${end.message}`);
  }
}

async function scenario() {
  let files;
  await steps.run('workspace with a faulty kernel', undefined, async () => {
    files = await prepareWorkspace();
  });
  await steps.run('code-server with the extension', undefined, async () => {
    editor = await startEditor(BUDGET);
  });
  await steps.run('workbench in Chromium', undefined, async () => {
    ({ browser, page } = await openBrowser(editor.port, files.kernel));
    await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await page.locator('.monaco-editor .view-line').first().waitFor({ timeout: 60_000 });
  });
  await steps.run('squiggle under the second FreeTensor', page, async () => {
    await goTo(files.faultLine, 12);
    await page.locator('.squiggly-error').first().waitFor({ state: 'attached', timeout: 60_000 });
  });
  await steps.run('quick-fix applied and saved', page, async () => {
    await goTo(files.faultLine, 12);
    await page.keyboard.press('Control+.');
    const row = page.locator('.action-widget .monaco-list-row').filter({ hasText: 'AscendC:' }).first();
    await row.waitFor({ timeout: 20_000 });
    await page.keyboard.press('Enter');
    await page.locator('.squiggly-error').first().waitFor({ state: 'detached', timeout: 20_000 });
    await page.keyboard.press('Control+S');
    const frees = (text) => text.split('yQueue.FreeTensor(y)').length - 1;
    await until(async () => frees(await readFile(files.kernel, 'utf8')) === 1, 10_000, 'one FreeTensor is left on disk');
  });
  await steps.run('code lens over the entry', page, async () => {
    await page.keyboard.press('Control+End');
    await page.locator('.codelens-decoration').filter({ hasText: 'Search tiling' }).first().waitFor({ timeout: 30_000 });
  });
  await steps.run('tiling search from the palette', page, async () => {
    await palette('AscendOptimizer: Search Tiling');
    await until(async () => (await viewState()).state === 'running', 20_000, 'the search view runs');
  });
  await steps.run('live curve', page, async () => {
    await until(
      async () => {
        const view = await viewState();
        if (view.state === 'failed') {
          throw new Error(view.message);
        }
        return view.curve && view.trials >= 2;
      },
      FIRST_TRIAL_MS,
      'trials are drawn',
    );
  });
  await steps.run('search done, result offered', page, expectRunningUntilDone);
  await steps.run('result applied to the editor', page, async () => {
    const before = await readFile(files.host, 'utf8');
    const kernelBefore = await readFile(files.kernel, 'utf8');
    const frame = await searchView();
    await frame.locator('#apply').click({ timeout: 10_000 });
    await until(async () => (await viewState()).state === 'applied', 20_000, 'the view says applied');
    await palette('File: Save All').catch(() => palette('Save All'));
    await until(
      async () =>
        (await readFile(files.host, 'utf8')) !== before || (await readFile(files.kernel, 'utf8')) !== kernelBefore,
      15_000,
      'a source on disk is changed',
    );
  });
}

let code = 0;
try {
  await scenario();
} catch (error) {
  code = 1;
  if (!(error instanceof StepFailed)) {
    process.stderr.write(`${error.stack}\n`);
  }
} finally {
  await browser?.close().catch(() => undefined);
  editor?.stop();
}
process.stdout.write(`${steps.passed} passed, ${steps.failed} failed (screenshots: ${folders.artifacts})\n`);
process.exit(code);
