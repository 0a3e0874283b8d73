import type { Config } from '../config.ts'

/** The name under which operators know this site. */
export const siteNameOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl === null ? 'Tocsin' : new URL(publicUrl).hostname
