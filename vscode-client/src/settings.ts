/** The settings that the server gets, and the ones that only the client reads. */
import { workspace } from 'vscode';
import type { SearchMethod } from './protocol';

export interface ServerSettings {
  soc: string;
  select: string[];
  ignore: string[];
  activeCase: { enabled: boolean };
  codeLens: { enabled: boolean };
  bank: { folder: string };
}

export function serverSettings(): ServerSettings {
  const config = workspace.getConfiguration('ascendopt');
  return {
    soc: config.get('soc', ''),
    select: config.get('select', []),
    ignore: config.get('ignore', []),
    activeCase: { enabled: config.get('activeCase.enabled', true) },
    codeLens: { enabled: config.get('codeLens.enabled', true) },
    bank: { folder: config.get('bank.folder', '') },
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

export function searchSettings(method: SearchMethod): SearchSettings {
  const config = workspace.getConfiguration('ascendopt');
  const budget = method === 'rewind' ? config.get('rewind.budget', 20) : config.get('search.budget', 60);
  return { budget, seed: config.get('search.seed', 1) };
}
