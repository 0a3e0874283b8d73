import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startTocsin } from '../contenders/tocsin.ts'
import { roomFor } from '../descriptors.ts'
import { openCrowd } from '../load/crowd.ts'
import { secure } from '../load/dial.ts'
import { connectTrackers } from '../load/tracker.ts'
import { residentBytesOf } from '../machine.ts'
import type { Plan } from '../plan.ts'
import type { Spread } from '../statistics.ts'
import { pressAll } from './press.ts'

export type ConnectionFigures = {
  readonly wanted: number
  /** A note for the operator if there are too few descriptors for all connections. */
  readonly tooFew: string | null
  readonly opened: number
  readonly failures: Readonly<Record<string, number>>
  readonly seconds: number
  /** The number of connections still open at the end. */
  readonly standing: number
  /** Memory that the service gained with the crowd, per connection; null if the system does not report it. */
  readonly bytesEach: number | null
  /** Milliseconds from the press to the `processed` event, while the crowd connected and after that. */
  readonly whileOpeningMs: Spread
  readonly whileIdleMs: Spread
}

const ANY = { TOCSIN_MQTTS_HOST: '127.0.0.1', TOCSIN_MQTTS_PORT: '0' } as const
/** Longer than the measurement, which covers the press and not the notifications after it. */
const GRACE_SECONDS = '3600'
const WARM_UP = 20

/**
 * Connects a crowd over TLS to a separate service and has other users press SOS over TLS, during and after that.
 * Compares the service's memory before the crowd with that after all have connected and been silent for `idleMs`.
 */
export async function measureConnections(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  { connections: wanted, atOnce, presses, perSecond, idleMs }: Plan['connections'],
): Promise<ConnectionFigures> {
  const tocsin = await startTocsin(join(dir, 'connections'), [], ANY)
  const port = tocsin.securePort!
  const { count, tooFew } = roomFor(wanted, tocsin.pid)
  if (tooFew !== null) say(tooFew)

  const application = await tocsin.createApplication('bench connections')
  const settings = ['--grace-seconds', GRACE_SECONDS]
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  say(`connections: making ${count.toLocaleString('en')} users`)
  const identities = await tocsin.createUsers(application, 'crowd', count, 0)
  const pressers = await tocsin.createUsers(application, 'presser', WARM_UP + 2 * presses, 1)
  const trackers = await connectTrackers(port, pressers, secure)
  await pressAll(trackers.splice(0, WARM_UP), perSecond)
  await wait(idleMs)
  const before = residentBytesOf(tocsin.pid)

  say(`connections: ${count.toLocaleString('en')} over TLS, ${atOnce} at a time`)
  const crowd = openCrowd({ port, identities, atOnce })
  let isOpen = false
  void crowd.opened.finally(() => {
    isOpen = true
  })
  const whileOpening = await pressAll(trackers.splice(0, presses), perSecond, () => isOpen)
  const { opened, seconds, failures } = await crowd.opened
  await wait(idleMs)
  const after = residentBytesOf(tocsin.pid)
  const whileIdle = await pressAll(trackers.splice(0, presses), perSecond)
  const standing = await crowd.standing()
  for (const tracker of trackers) tracker.close()
  await crowd.stop()
  await tocsin.stop()
  return {
    wanted,
    tooFew,
    opened,
    failures,
    seconds,
    standing,
    bytesEach: before === null || after === null ? null : (after - before) / opened,
    whileOpeningMs: whileOpening.processedMs,
    whileIdleMs: whileIdle.processedMs,
  }
}
