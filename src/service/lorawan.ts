import type { HttpNeeds } from '../adapters/inbound/http/app.ts'
import { receiveEvents } from '../adapters/inbound/network-server/chirpstack-mqtt.ts'
import { createDownlinkCourier, type DownlinkCourier } from '../app/downlinks/courier.ts'
import type { takeReport } from '../app/field/take-report.ts'
import { takeUplink } from '../app/field/take-uplink.ts'
import { unpairedUplinks } from '../app/field/unpaired-uplinks.ts'
import { ownTimers } from '../app/user/own-timers.ts'
import { writtenIn } from '../config/settings.ts'
import type { Config } from '../config.ts'
import { mayAlarm } from '../core/field/lorawan/map-uplink.ts'
import type { NetworkEvent } from '../core/field/lorawan/network-event.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import { SECOND } from '../lib/durations.ts'
import { networkServers } from './network-servers.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

const SERVERS = 'lorawan.servers'
const PROFILES = 'lorawan.profiles'

export type Lorawan = NonNullable<HttpNeeds['lorawan']> & {
  readonly downlinks: DownlinkCourier
  /**
   * Connects to the brokers of the network servers that have one. Called last: events that arrive from here on can be
   * stored, and sent.
   */
  readonly connect: () => Promise<void>
  readonly disconnect: () => Promise<void>
  /** Why their trackers cannot press SOS, in words. */
  readonly concerns: () => readonly string[]
}

/** Handles uplinks of the network servers, which are those of the configuration in force at each moment. */
export function prepareLorawan(
  { lorawan, notifications, dataDir }: Config,
  basis: Basis,
  {
    reports,
    sending,
  }: {
    readonly reports: ReturnType<typeof takeReport>
    readonly sending: Pick<Sending, 'sender' | 'caller' | 'guard' | 'providerNeeds' | 'dispatcher'>
  },
): Lorawan {
  const { site, clock, log, meter } = basis
  const { providerNeeds } = sending
  // Only someone who may write the file of this machine may lead it to its own and its neighbours' addresses.
  const isOfConsole = writtenIn(site.base, SERVERS) === null
  const caller = isOfConsole ? providerNeeds.guardedCaller : sending.caller
  const guard = isOfConsole ? sending.guard : null
  const servers = networkServers(lorawan.servers, { ...basis, caller, guard, dataDir })
  const { known, senders, sources } = servers
  const strangers = unpairedUplinks({
    ...basis,
    defaults: notifications.defaults,
    send: (notification) => sending.sender.send(notification),
  })
  let inForce = { ...shippedProfiles, ...lorawan.profiles }
  const profiles = () => inForce
  site.follow([PROFILES], (now) => {
    if (!site.isOutOfForce(PROFILES)) inForce = { ...shippedProfiles, ...now.lorawan.profiles }
  })
  const isQuiet = async () => (await sending.dispatcher.overdueMs()) === 0
  const downlinks = createDownlinkCourier({ ...basis, senders, profiles, isQuiet })
  const take = takeUplink({ ...basis, reports, timers: ownTimers(basis), downlinks, strangers, profiles })
  site.follow([SERVERS], (now) => {
    // A node that cannot read them, or does not understand them, goes on with the former ones.
    if (site.isOutOfForce(SERVERS)) return
    const isWrong = (name: string) => site.effective.left.some(({ key }) => `${key}.`.startsWith(`${SERVERS}.${name}.`))
    servers.replace(now.lorawan.servers, isWrong)
    downlinks.lookAgain()
  })
  const mayBeAlarm = (event: NetworkEvent) => mayAlarm(event, Object.values(profiles()))
  type Source = readonly [string, { readonly disconnectedSince: () => number | null }]
  const shown = (read: (source: Source) => readonly [string, number]) => Object.fromEntries([...sources].map(read))
  meter.gauge({
    name: 'lorawan_connected',
    help: '1 while events of the network server are received over MQTT, else 0',
    label: 'server',
    read: () => shown(([name, { disconnectedSince }]) => [name, disconnectedSince() === null ? 1 : 0]),
  })
  meter.gauge({
    name: 'lorawan_disconnected_seconds',
    help: 'For how long no events of the network server have been received over MQTT; 0 while they are',
    label: 'server',
    read: () =>
      shown(([name, { disconnectedSince }]) => {
        const since = disconnectedSince()
        return [name, since === null ? 0 : Math.max(0, clock.now() - since) / SECOND]
      }),
  })
  meter.gauge({
    name: 'lorawan_downlinks_waiting',
    help: 'Incidents whose LoRaWAN tracker has something to be told, or a receipt to come',
    read: () => downlinks.waiting(),
  })
  return {
    servers: known,
    take,
    downlinks,
    connect: () =>
      servers.connect((source, stopped) => receiveEvents(source, { take, mayAlarm: mayBeAlarm, clock, log, stopped })),
    disconnect: servers.close,
    concerns: servers.concerns,
  }
}
