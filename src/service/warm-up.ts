import { countryOf } from '../adapters/platform/system/country-of.ts'
import { countryPlans } from '../adapters/platform/system/country-plans.ts'
import { machineTimeZone } from '../adapters/platform/system/time-zone.ts'
import { releaseCachedCode } from '../lib/release-memory.ts'

const ANY_NUMBER = '+4366012345678'

/**
 * Loads, once the service is running, what a start does without and the first message, call, request or scrape would
 * otherwise wait for: a tenth of a second of processor time. Releases the cached code after each of them, because the
 * first start of a version writes it then.
 */
export async function warmUp(): Promise<void> {
  await import('../adapters/outbound/http/http-call.ts')
  releaseCachedCode()
  countryOf(ANY_NUMBER)
  releaseCachedCode()
  machineTimeZone()
  countryPlans()
  await import('../adapters/platform/system/prometheus.ts')
  releaseCachedCode()
}
