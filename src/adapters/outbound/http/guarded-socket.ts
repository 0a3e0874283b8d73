import { connect, isIP, type LookupFunction, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Resolve, systemResolve } from './address-guard.ts'
import { isBlockedAddress, isBlockedHost } from './blocked-address.ts'
import type { LanHosts } from './lan-hosts.ts'

/** The code of the error with which the guard refuses a connection. */
const BLOCKED = 'E_BLOCKED_ADDRESS'

/** Only links such as satellite are slower, and even those reach a second address in time. */
const PER_ADDRESS_MS = 1_500

/** Options for trying address families until one works. */
export const bothFamilies = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS } as const

type IsBlocked = (address: string, host: string) => boolean

/** Refuses addresses for connections of any protocol. access.md#address-guard. */
export type AddressGuard = {
  /** For names: judges the addresses that are connected to. A name with one blocked address is refused entirely. */
  readonly lookup: LookupFunction
  /** For literals, which are never looked up. No resolver gets to decide what localhost means. */
  readonly refuses: (host: string) => boolean
}

/** `isBlocked`: null refuses nothing. */
export const addressGuard = (resolve: Resolve, isBlocked: IsBlocked | null): AddressGuard => ({
  lookup(hostname, options, callback) {
    resolve(hostname).then(
      (addresses) => {
        const blocked = isBlocked !== null && addresses.some(({ address }) => isBlocked(address, hostname))
        const [first] = addresses
        if (blocked) callback(blockedError(), [])
        else if (options.all || first === undefined) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  },
  refuses: (host) => isBlocked !== null && (isIP(host) === 0 ? isBlockedHost(host) : isBlocked(host, host)),
})

/** Only public addresses, and hosts of the local network that are listed. */
export const publicGuard = (lan: LanHosts = () => false, resolve: Resolve = systemResolve()): AddressGuard =>
  addressGuard(resolve, (address, host) => isBlockedAddress(address) && !lan(address, host))

export const blockedError = () => Object.assign(new Error('blocked address'), { code: BLOCKED })

/** Connects behind the guard, and fails as any socket does. `tls`: from the first byte. `host`: without brackets. */
export function guardedSocket(
  { host, port, tls = false }: { readonly host: string; readonly port: number; readonly tls?: boolean },
  { lookup, refuses }: AddressGuard,
): Socket {
  if (refuses(host)) return new Socket().destroy(blockedError())
  const target = { host, port, lookup, ...bothFamilies }
  return tls ? connectTls({ ...target, ...(isIP(host) === 0 && { servername: host }) }) : connect(target)
}

const MQTT_PORT = 1883
const MQTTS_PORT = 8883

/** A socket for `mqtt://…` or `mqtts://…`. */
export function guardedBroker(url: string, guard: AddressGuard): Socket {
  const { protocol, hostname, port } = new URL(url)
  const tls = protocol === 'mqtts:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return guardedSocket({ host, port: port === '' ? (tls ? MQTTS_PORT : MQTT_PORT) : Number(port), tls }, guard)
}
