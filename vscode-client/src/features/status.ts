/** The language status item: what the server does, and where to look when it fails. */
import { languages, LanguageStatusSeverity, type Disposable, type LanguageStatusItem } from 'vscode';
import { SELECTOR } from '../selector';
import type { StatusParams } from '../protocol';

export class StatusItem implements Disposable {
  private readonly item: LanguageStatusItem = languages.createLanguageStatusItem('ascendopt', SELECTOR);

  constructor() {
    this.item.name = 'AscendOptimizer';
    this.item.command = { command: 'ascendopt.showLogs', title: 'Show logs' };
    this.starting();
  }

  starting(): void {
    this.show(LanguageStatusSeverity.Information, 'AscendOptimizer', 'starting', true);
  }

  stopped(): void {
    this.show(LanguageStatusSeverity.Warning, 'AscendOptimizer', 'the server is stopped', false);
  }

  failed(reason: string): void {
    this.show(LanguageStatusSeverity.Error, 'AscendOptimizer', reason, false);
  }

  update(status: StatusParams): void {
    const severity = status.state === 'error' ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
    const detail = [status.message, status.device, `server ${status.version}`].filter((part) => part !== '');
    this.show(severity, 'AscendOptimizer', detail.join(' · '), status.state === 'busy');
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(severity: LanguageStatusSeverity, text: string, detail: string, busy: boolean): void {
    this.item.severity = severity;
    this.item.text = text;
    this.item.detail = detail;
    this.item.busy = busy;
  }
}
