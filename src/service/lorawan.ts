import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { HttpParts } from '../adapters/inbound/http/parts.ts'
import type { EventSourceConnection } from '../adapters/inbound/network-server/chirpstack-mqtt.ts'
import { ownTimers } from '../app/own-timers.ts'
import { strangerUplinks } from '../app/stranger-uplinks.ts'
import type { takeReport } from '../app/take-report.ts'
import { takeUplink } from '../app/take-uplink.ts'
import type { Config } from '../config.ts'
import { mayAlarm } from '../core/field/lorawan/map-uplink.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import type { Closers } from './closers.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

type Parts = { readonly reports: ReturnType<typeof takeReport>; readonly sender: Sending['sender'] }

/** What takes the uplinks of the configured network servers. Null without any. */
export function lorawanParts(
  { lorawan, notifications }: Config,
  basis: Basis,
  { reports, sender }: Parts,
): NonNullable<HttpParts['lorawan']> | null {
  const servers = new Map(
    Object.entries(lorawan.servers).map(([name, { type, application, profile, token }]) => [
      name,
      { server: { name, type, appId: application.toLowerCase(), profile }, token: token?.reveal() ?? null },
    ]),
  )
  if (servers.size === 0) return null
  const strangers = strangerUplinks({
    ...basis,
    defaults: notifications.defaults,
    send: (notification) => sender.send(notification),
  })
  const profiles = { ...shippedProfiles, ...lorawan.profiles }
  return { servers, take: takeUplink({ ...basis, reports, timers: ownTimers(basis), strangers, profiles }) }
}

/**
 * Connects to the brokers of the network servers that have one. Called last: what comes in from here on can be stored,
 * and sent. Each machine has a session of its own with each broker; several nodes all receive what one would.
 */
export async function connectNetworkServers(
  { lorawan, dataDir }: Config,
  { clock, log, meter }: Pick<Basis, 'clock' | 'log' | 'meter'>,
  parts: HttpParts['lorawan'],
  closers: Closers,
): Promise<void> {
  const sources = Object.entries(lorawan.servers).flatMap(([name, { mqtt }]) => (mqtt === null ? [] : [{ name, mqtt }]))
  const connections = new Map<string, EventSourceConnection>()
  meter.gauge({
    name: 'lorawan_connected',
    help: '1 while events of the network server are received over MQTT, else 0',
    label: 'server',
    read: () => Object.fromEntries([...connections].map(([name, { isConnected }]) => [name, isConnected() ? 1 : 0])),
  })
  if (parts === undefined || sources.length === 0) return
  const { receiveEvents } = await import('../adapters/inbound/network-server/chirpstack-mqtt.ts')
  const profiles = Object.values({ ...shippedProfiles, ...lorawan.profiles })
  const here = createHash('sha256').update(`${hostname()} ${dataDir}`).digest('hex').slice(0, 12)
  for (const { name, mqtt } of sources) {
    const known = parts.servers.get(name)
    if (known === undefined) continue
    const { url, username, topic, password } = mqtt
    const secret = password?.reveal() ?? null
    const source = { server: known.server, url, username, password: secret, topic, clientId: `tocsin-${name}-${here}` }
    connections.set(
      name,
      receiveEvents(source, { take: parts.take, mayAlarm: (event) => mayAlarm(event, profiles), clock, log }),
    )
  }
  closers.add(() => Promise.all([...connections.values()].map((connection) => connection.close())))
}
