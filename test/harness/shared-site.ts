import { after, before } from 'node:test'
import { type Site, type SiteOptions, startSite } from './site.ts'

/**
 * One site in this process for all tests of a suite, each with users of its own (`site.newUser`). Call it inside the
 * suite. For tests that leave its clock alone.
 */
export function sharedSite(options: SiteOptions = {}): () => Site {
  const ends: (() => unknown)[] = []
  let site: Site | undefined
  before(async () => {
    site = await startSite({ after: (work) => ends.push(work) }, options)
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (site === undefined) throw new Error('the shared site has not started')
    return site
  }
}
