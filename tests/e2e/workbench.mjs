// What a person does in VS Code: the palette, a place in a file, a hover, the search view.
import { until } from './harness.mjs';

export class Workbench {
  constructor(page) {
    this.page = page;
  }

  get editor() {
    return this.page.locator('.monaco-editor .view-lines').first();
  }

  get squiggles() {
    return this.page.locator('.squiggly-error');
  }

  get lenses() {
    return this.page.locator('.codelens-decoration');
  }

  get languageStatus() {
    return this.page.locator('[id="status.languageStatus"]');
  }

  /** Waits for a locator whose text matches; says what was there instead when none does. */
  async expectText(locator, pattern, timeout = 20_000) {
    let seen = [];
    await until(
      async () => {
        seen = await locator.allInnerTexts();
        return seen.some((text) => pattern.test(plain(text)));
      },
      timeout,
      `a text like ${pattern}`,
    ).catch((error) => {
      throw new Error(`${error.message}; there was: ${JSON.stringify(seen.map(plain))}`);
    });
  }

  /** Types into the palette. Gives the rows that it offers. */
  async offered(text) {
    const input = this.page.locator('.quick-input-widget input').first();
    // An editor that is just being opened takes the focus, and the palette closes: then it is opened again.
    await until(
      async () => {
        if (!(await input.isVisible())) {
          await this.page.keyboard.press('F1');
        }
        await input.fill(text, { timeout: 2_000 });
        return true;
      },
      20_000,
      'the palette takes a text',
    );
    return this.page.locator('.quick-input-list .monaco-list-row');
  }

  async command(title) {
    // The first row need not be it: the palette puts what was used lately on top.
    const label = this.page.locator('.label-name').filter({ hasText: new RegExp(`^${title.replaceAll(' ', '\\s')}$`) });
    await until(
      async () => {
        const rows = await this.offered(`>${title}`);
        await rows.filter({ has: label }).first().click({ timeout: 5_000 });
        return true;
      },
      30_000,
      `the command ${title} is run`,
    );
  }

  /** Puts the cursor at a 1-based place, through the palette so that the line is scrolled into view. */
  async goTo(line, column) {
    await this.editor.click();
    await this.offered(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden', timeout: 10_000 });
  }

  /** Shows the hover at the cursor and waits for a text in it. It stays open. */
  async hover(pattern) {
    await this.page.keyboard.press('Control+K');
    await this.page.keyboard.press('Control+I');
    await this.expectText(this.page.locator('.monaco-hover .hover-contents, .monaco-hover .hover-row'), pattern);
  }

  /** Opens the light bulb's menu at the cursor. Gives its rows. */
  async lightBulb() {
    const rows = this.page.locator('.action-widget .monaco-list-row');
    // What takes longer than anybody waits for a menu is there when the menu is opened again.
    await until(
      async () => {
        await this.page.keyboard.press('Escape');
        await this.page.keyboard.press('Control+.');
        await rows.filter({ hasText: 'AscendC:' }).first().waitFor({ timeout: 8_000 });
        return true;
      },
      40_000,
      'the light bulb offers something of ours',
    );
    return rows;
  }

  /** Chooses from the light bulb's menu. */
  async pick(text) {
    await this.page.locator('.action-widget .monaco-list-row').filter({ hasText: text }).first().click({ timeout: 10_000 });
  }

  get notifications() {
    return this.page.locator('.notification-list-item');
  }

  /** The text that the first editor shows, as far as it is drawn. */
  async shownText() {
    return plain(await this.editor.innerText());
  }

  async trustFolder() {
    await this.command('Workspaces: Manage Workspace Trust');
    await this.page.locator('.workspace-trust-editor .monaco-button').filter({ hasText: /^Trust$/ }).first().click();
    await this.page.locator('.workspace-trust-editor').filter({ hasText: 'You trust this folder' }).waitFor({ timeout: 20_000 });
    await this.command('View: Close Editor');
  }

  /** The document of the search view: a frame within a frame. */
  async searchFrame() {
    for (const frame of this.page.frames()) {
      if ((await frame.evaluate(() => document.body?.dataset.state).catch(() => undefined)) !== undefined) {
        return frame;
      }
    }
    throw new Error('the search view is not open');
  }

  async search() {
    const frame = await this.searchFrame();
    return await frame.evaluate(() => {
      // Counted in the picture itself: that a canvas exists says nothing about a curve on it.
      const canvas = document.querySelector('#chart canvas');
      const style = getComputedStyle(document.documentElement);
      const probe = document.createElement('canvas').getContext('2d');
      const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      const painted = (name) => {
        probe.fillStyle = style.getPropertyValue(name);
        probe.fillRect(0, 0, 1, 1);
        const wanted = probe.getImageData(0, 0, 1, 1).data;
        let count = 0;
        for (let at = 0; at < pixels.length; at += 4) {
          count += [0, 1, 2].every((part) => Math.abs(pixels[at + part] - wanted[part]) < 12) && pixels[at + 3] > 200 ? 1 : 0;
        }
        return count;
      };
      return {
        state: document.body.dataset.state,
        trials: Number(document.body.dataset.trials),
        rows: document.querySelectorAll('#trials tr').length,
        motifs: document.querySelectorAll('#motifs tr').length,
        message: document.getElementById('message').textContent,
        figures: Object.fromEntries(
          [...document.querySelectorAll('#figures dt')].map((term) => [term.textContent, term.nextElementSibling.textContent]),
        ),
        bestLine: painted('--vscode-charts-green'),
        baselineLine: painted('--vscode-charts-purple'),
      };
    });
  }

  /** Waits until no search runs any more. Gives what the view shows then. */
  async ended(timeout) {
    return await until(
      async () => {
        const now = await this.search();
        return now.state !== 'running' && now;
      },
      timeout,
      'the search ends',
    );
  }

  async searchButton(id) {
    await (await this.searchFrame()).locator(`#${id}`).click({ timeout: 10_000 });
  }
}

/** VS Code draws spaces as no-break spaces. */
function plain(text) {
  return text.replaceAll('\u00a0', ' ');
}
