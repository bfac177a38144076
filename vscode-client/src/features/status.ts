/** The language status item: what the server does, and where to look when it fails. */
import { languages, LanguageStatusSeverity, workspace, type Disposable, type LanguageStatusItem } from 'vscode';
import { SELECTOR } from '../selector';
import type { StatusParams } from '../protocol';

export class StatusItem implements Disposable {
  private readonly item: LanguageStatusItem = languages.createLanguageStatusItem('ascendopt', SELECTOR);

  constructor() {
    this.item.name = 'AscendOptimizer';
    this.item.text = 'AscendOptimizer';
    this.item.command = { command: 'ascendopt.showLogs', title: 'Show logs' };
    this.starting();
  }

  starting(): void {
    this.show(LanguageStatusSeverity.Information, 'starting', true);
  }

  stopped(): void {
    this.show(LanguageStatusSeverity.Warning, 'the server is stopped', false);
  }

  failed(reason: string): void {
    this.show(LanguageStatusSeverity.Error, reason, false);
  }

  update(status: StatusParams): void {
    const severity = status.state === 'error' ? LanguageStatusSeverity.Error : LanguageStatusSeverity.Information;
    // The item is narrow, and a longer text hides its command. In a restricted workspace no device is used.
    const idle = status.state === 'ready' && workspace.isTrusted;
    const detail = idle ? `${status.message} · ${status.device}` : status.message;
    this.show(severity, detail, status.state === 'busy');
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(severity: LanguageStatusSeverity, detail: string, busy: boolean): void {
    this.item.severity = severity;
    this.item.detail = detail;
    this.item.busy = busy;
  }
}
