/**
 * Locates the files of this version other than code. In a checkout this module is `src/lib/installation.ts`, in a build
 * `js/lib/installation.js` or a chunk beside it (build/main.ts): both two folders below the root.
 */
const OWN = import.meta.url

/** Whether this is a build, which has its own console and is complete. */
export const isBuilt = OWN.endsWith('.js')

/** A file or folder below the root: `config/lora-regions.json`. */
export const fileOf = (path: string): URL => new URL(`../../${path}`, OWN)

/** A file or folder that lies beside code, named below `src`: `adapters/stores/sqlite/migrations/`. */
export const besideCode = (path: string): URL => new URL(`../${path}`, OWN)

/** The module with which a thread starts, named below `src` without its ending. In a build it is a file of its own. */
export const threadOf = (module: string): URL =>
  besideCode(isBuilt ? `lib/${module.slice(module.lastIndexOf('/') + 1)}.js` : `${module}.ts`)
