import { isAmong } from '../adapters/inbound/http/client-address.ts'
import type { Balancers } from '../lib/behind-balancers.ts'
import type { Log } from '../ports/log.ts'

/** The load balancers of `mqtt.proxyProtocol` or `http.proxyProtocol`; null without any. */
export function balancersOf(proxyProtocol: readonly string[] | null, log: Log): Balancers | null {
  if (proxyProtocol === null) return null
  return {
    includes: isAmong(proxyProtocol),
    refused: (balancer, reason) =>
      log.warn({ balancer, reason }, 'refused a connection of a load balancer', `${balancer} ${reason}`),
  }
}
