import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The YAML parser, loaded only where there is YAML to read: a command without a configuration file answers sooner. */
export const yaml = (): typeof import('yaml') => require('yaml')
