/** "Verify and apply" of a light bulb's rewrite: the gates run in the server's worker, with progress and a cancel button. */
import { randomUUID } from 'node:crypto';
import { commands, ProgressLocation, window, type Disposable } from 'vscode';
import { LSPErrorCodes, ResponseError, WorkDoneProgress } from 'vscode-languageclient/node';
import { VERIFY_AND_APPLY, VerifyRequest } from '../protocol';
import type { ServerSession } from '../session';
import type { Logs } from './logs';

export function registerVerify(session: ServerSession, logs: Logs): Disposable {
  return commands.registerCommand(VERIFY_AND_APPLY, async (uri: string, version: number, offer: string) => {
    try {
      await verify(session, logs, uri, version, offer);
    } catch (error) {
      if (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) {
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      logs.extension.error(`verify and apply: ${reason}`);
      void window.showErrorMessage(reason);
    }
  });
}

/** The server applies the edit and shows the outcome; here is only what can be seen meanwhile. */
async function verify(session: ServerSession, logs: Logs, uri: string, version: number, offer: string): Promise<void> {
  const client = session.client;
  if (client === undefined) {
    throw new Error('The AscendOptimizer server is not running. Run "AscendOptimizer: Restart Server".');
  }
  const workDoneToken = randomUUID();
  await window.withProgress(
    { location: ProgressLocation.Notification, title: 'Verifying the rewrite', cancellable: true },
    async (progress, cancellation) => {
      const listener = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        if (value.kind !== 'end' && value.message !== undefined) {
          progress.report({ message: value.message });
        }
      });
      try {
        const result = await client.sendRequest(VerifyRequest, { uri, version, offer, workDoneToken }, cancellation);
        logs.extension.info(`verify and apply: ${result.summary}`);
      } finally {
        listener.dispose();
      }
    },
  );
}
