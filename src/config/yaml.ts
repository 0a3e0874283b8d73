import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'

/** A new one each time: it would keep what it has loaded. */
const requireHere = (): NodeJS.Require => createRequire(import.meta.url)

/** The YAML parser, loaded only when there is YAML to read: commands without a configuration file start faster. */
export const yaml = (): typeof import('yaml') => requireHere()('yaml')

/** Lets go of the parser, which a running service has no more use for. `yaml` would load it again. */
export function forgetYaml(): void {
  const { cache, resolve } = requireHere()
  const files = dirname(resolve('yaml')) + sep
  for (const path of Object.keys(cache)) if (path.startsWith(files)) delete cache[path]
}
