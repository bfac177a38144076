/** The settings that the server gets, and the ones that only the client reads. */
import { workspace } from 'vscode';

export interface ServerSettings {
  soc: string;
  select: string[];
  ignore: string[];
  activeCase: { enabled: boolean };
  codeLens: { enabled: boolean };
}

export function serverSettings(): ServerSettings {
  const config = workspace.getConfiguration('ascendopt');
  return {
    soc: config.get('soc', ''),
    select: config.get('select', []),
    ignore: config.get('ignore', []),
    activeCase: { enabled: config.get('activeCase.enabled', true) },
    codeLens: { enabled: config.get('codeLens.enabled', true) },
  };
}

export interface LaunchSettings {
  command: string[];
  interpreter: string;
}

export function launchSettings(): LaunchSettings {
  const config = workspace.getConfiguration('ascendopt');
  return { command: config.get('server.command', []), interpreter: config.get('interpreter', '') };
}

export interface SearchSettings {
  budget: number;
  seed: number;
}

export function searchSettings(): SearchSettings {
  const config = workspace.getConfiguration('ascendopt');
  return { budget: config.get('search.budget', 60), seed: config.get('search.seed', 1) };
}
