import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The YAML parser, loaded only when there is YAML to read: commands without a configuration file start faster. */
export const yaml = (): typeof import('yaml') => require('yaml')
