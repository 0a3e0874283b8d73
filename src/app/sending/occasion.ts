import type { Application } from '../../core/account/application.ts'
import type { Delivery } from '../../core/incident/delivery.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Committed, Store } from '../../ports/store.ts'
import type { Occasion } from './compose.ts'
import { newestBatteries } from './newest-batteries.ts'

type OccasionNeeds = {
  readonly store: Pick<Store, 'user' | 'telemetryHistory'>
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: () => string
  readonly machineTimeZone: () => string
}

/**
 * Reads everything that the notification of an attempt is composed from, in parallel. Null: user or application is
 * gone.
 */
export async function readOccasion(
  { purpose, channel }: Delivery,
  { incident, lastPosition, newest }: Committed,
  { store, clock, publicUrl, machineTimeZone }: OccasionNeeds,
  applicationOf: (appId: string) => Promise<Application | null>,
): Promise<Occasion | null> {
  if (incident === null) return null
  const saysBattery = purpose === 'alarm' && (channel === 'sms' || channel === 'voice' || channel === 'email')
  const [user, application, batteries] = await Promise.all([
    store.user(incident.userId),
    applicationOf(incident.appId),
    saysBattery ? newestBatteries(store, incident) : null,
  ])
  if (user === null || application === null) return null
  const record = { incident, lastPosition, ...(newest && { newest }) }
  return { record, user, application, batteries, publicUrl: publicUrl(), machineTimeZone, now: clock.now() }
}
