/**
 * C and C++ files on disk. The language id stays `cpp` so that clangd goes on working; the server itself
 * decides which of these files are AscendC and stays silent on the others.
 */
export const SELECTOR = [
  { scheme: 'file', language: 'cpp' },
  { scheme: 'file', language: 'c' },
];

export const WATCHED_FILES = '**/{ascendopt.toml,pyproject.toml,*.h,*.hpp,*.cpp,*.cc,*.asc}';
