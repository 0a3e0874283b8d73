import { isBlockedTarget, systemResolve } from '../adapters/outbound/http/address-guard.ts'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { type SiteSettings, writtenIn } from '../config/settings.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { SiteConfig } from './site-config.ts'

const HOSTS = 'notifications.lanHosts'
const NEEDED = 'has to keep the host of gateway.url: set up another gateway first, or remove it'

/**
 * Why `values` would cut off the gateway that is set in the console: without its host among those of the local network,
 * each of its messages fails.
 */
export async function withoutGateway(
  values: SiteSettings,
  { base, now }: SiteConfig,
): Promise<readonly FieldProblem[]> {
  const { providers, lanHosts: hosts, allowPrivateTargets } = now.notifications
  const url = now.gateway.url?.reveal() ?? null
  const isOurs = url !== null && providers.includes('http') && writtenIn(base, 'gateway.url') === null
  if (!isOurs || allowPrivateTargets || !(HOSTS in values)) return []
  const resolve = systemResolve()
  const isCutBy = (listed: readonly string[]) => isBlockedTarget(url, resolve, lanHosts(listed))
  const next = [values[HOSTS] ?? []].flat().map(String)
  return (await isCutBy(next)) && !(await isCutBy(hosts)) ? [{ field: HOSTS, message: NEEDED }] : []
}
