/** Shows what the result of a search would change, as a diff against the text in the editor. */
import { commands, EventEmitter, Uri, workspace, type Disposable, type TextDocument, type TextEdit, type WorkspaceEdit } from 'vscode';
import { TITLES } from '../methods';
import type { SearchMethod } from '../protocol';

const SCHEME = 'ascendopt-result';

export class ResultDiff implements Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  private readonly registration = workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.changed.event,
    provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? '',
  });

  async show(method: SearchMethod, search: string, edit: WorkspaceEdit): Promise<void> {
    this.texts.clear();
    const triples: [Uri, Uri, Uri][] = [];
    for (const [uri, edits] of edit.entries()) {
      const document = await workspace.openTextDocument(uri);
      const result = uri.with({ scheme: SCHEME, authority: '', query: search });
      this.texts.set(result.toString(), patched(document, edits));
      this.changed.fire(result);
      triples.push([uri, uri, result]);
    }
    // Diffs open in the active group; the search view's own would be covered.
    await commands.executeCommand('workbench.action.focusFirstEditorGroup');
    const [first] = triples;
    if (triples.length === 1 && first !== undefined) {
      await commands.executeCommand('vscode.diff', first[1], first[2], `${workspace.asRelativePath(first[0])}: before ↔ after the search`);
    } else if (triples.length > 1) {
      await commands.executeCommand('vscode.changes', `${TITLES[method]}: before ↔ after`, triples);
    }
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

/** The text of `document` with `edits` (which do not overlap) applied. */
function patched(document: TextDocument, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort((a, b) => b.range.start.compareTo(a.range.start));
  let text = document.getText();
  for (const edit of ordered) {
    text = text.slice(0, document.offsetAt(edit.range.start)) + edit.newText + text.slice(document.offsetAt(edit.range.end));
  }
  return text;
}
