import { setTimeout as sleep } from 'node:timers/promises'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import type { ProcessSite } from '../../test/harness/process-site.ts'
import { identityOf, Phone } from '../sos/phone.ts'

const AGAIN_MS = 100

export type Flood = {
  readonly user: PhoneUser
  readonly site: ProcessSite
  readonly over: AbortSignal
  readonly connections: number
  readonly inFlight: number
  readonly max: number
  readonly topic: string
  readonly payload: () => string
}

/**
 * Publishes as fast as the service answers, and reconnects when cut off, until `over` or `max` were sent. Returns how
 * many were acknowledged and how many connections were lost.
 */
export async function flood({ user, site, over, connections, inFlight, max, topic, payload }: Flood) {
  const count = { sent: 0, acknowledged: 0, cutOff: 0 }
  const port = Number(new URL(site.mqtt).port)
  const lane = async (phone: Phone): Promise<void> => {
    while (!over.aborted && !phone.isLost && count.sent < max) {
      count.sent += 1
      await phone.publish(topic, payload())
      count.acknowledged += 1
    }
  }
  const connection = async (n: number): Promise<void> => {
    while (!over.aborted && count.sent < max) {
      try {
        const phone = await Phone.connect(port, identityOf(user, `-${n}`))
        over.addEventListener('abort', () => phone.close(), { once: true })
        await Promise.all(Array.from({ length: inFlight }, () => lane(phone))).finally(() => phone.close())
      } catch {
        if (over.aborted) return
        count.cutOff += 1
        await sleep(AGAIN_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => connection(n)))
  return count
}
