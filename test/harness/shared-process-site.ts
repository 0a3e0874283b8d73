import { type ApplicationOptions, type ProcessSite, type ProcessSiteOptions, startProcessSite } from './process-site.ts'
import { shared } from './shared.ts'

/** One real process for all tests of a suite. Each test gets its own application from the function that it returns. */
export function sharedProcessSite(
  options: ProcessSiteOptions = {},
): (own?: ApplicationOptions) => Promise<ProcessSite> {
  const site = shared((t) => startProcessSite(t, options))
  return (own = options) => site().application(own)
}
