import { after, before } from 'node:test'
import { type ApplicationOptions, type ProcessSite, type ProcessSiteOptions, startProcessSite } from './process-site.ts'

/**
 * One real process for all tests of a suite: to start it costs more than most tests do. Call it inside the suite. Each
 * test gets an application of its own from the function that it returns.
 */
export function sharedProcessSite(
  options: ProcessSiteOptions = {},
): (own?: ApplicationOptions) => Promise<ProcessSite> {
  const ends: (() => unknown)[] = []
  let site: ProcessSite | undefined
  before(async () => {
    site = await startProcessSite({ after: (work) => ends.push(work) }, options)
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return (own = options) => {
    if (site === undefined) throw new Error('the shared site has not started')
    return site.application(own)
  }
}
