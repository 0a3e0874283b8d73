import { shared } from './shared.ts'
import { type Site, type SiteOptions, startSite } from './site.ts'

/**
 * One site in this process for all tests of a suite, each with its own users (`site.newUser`). For tests that leave its
 * clock alone.
 */
export const sharedSite = (options: SiteOptions = {}): (() => Site) => shared((t) => startSite(t, options))
