import { CHALLENGE_CONNECTIONS, openChallengeListener } from '../adapters/inbound/acme/challenge-listener.ts'
import type { Listening } from '../adapters/inbound/door/listen-widely.ts'
import type { Config } from '../config.ts'
import { oneAtATime } from '../lib/waits.ts'
import type { Closers } from './closers.ts'
import { balancersOf, listenReason } from './listeners.ts'
import type { Basis } from './storage.ts'

/** Connections of a listener for which no descriptors were set aside at the start. */
const UNPLANNED_CONNECTIONS = 32

/** The listener at `http.acmePort`. */
export type ChallengeDoor = {
  /**
   * Opens it as the configuration in force has it, unless it is open. The former port stays until the new one is open.
   * Never rejects: no alarm waits for it. Resolves to its address, if it is on.
   */
  open(): Promise<string | null>
  /** Why the port of `config` cannot be opened here, as a sentence; null if it can, is open, or is off. */
  whyNot(config: Pick<Config, 'http'>): Promise<string | null>
  /** Why it is not open as it should be, as a sentence; null if it is. */
  readonly trouble: string | null
}

type Port = Config['http']['acmePort']

/** `planned`: whether descriptors were set aside for it. */
export function challengeDoor(
  { site, log }: Pick<Basis, 'site' | 'log'>,
  { answerOf, planned }: { readonly answerOf: (token: string) => Promise<string | null>; readonly planned: boolean },
  closers: Closers,
): ChallengeDoor {
  const { host } = site.base.https
  const { proxyProtocol } = site.base.http
  const origin = (): string | null => {
    const { publicUrl } = site.now
    return publicUrl !== null && /^https:/i.test(publicUrl) ? new URL(publicUrl).origin : null
  }
  let now: { readonly port: Port; readonly listening: Listening } | null = null
  let trouble: string | null = null
  let isOver = false
  closers.add(async () => {
    isOver = true
    await open()
    await now?.listening.close()
  })

  const listenAt = (port: number): Promise<Listening> =>
    openChallengeListener(
      { host, port },
      {
        ...{ answerOf, site: origin, balancers: balancersOf(proxyProtocol, log) },
        connections: planned ? CHALLENGE_CONNECTIONS : UNPLANNED_CONNECTIONS,
      },
    )
  const whyNotAt = (port: Port, error: unknown): string =>
    `cannot listen on https.host ${host}, http.acmePort ${port}: ${listenReason(error)}`

  const open = oneAtATime(async (): Promise<string | null> => {
    const port = site.now.http.acmePort
    const former = now
    try {
      if (isOver) return null
      if (port !== former?.port) {
        now = port === 'off' ? null : { port, listening: await listenAt(port) }
        // Open connections have seconds to end.
        void former?.listening.close()
      }
      trouble = null
    } catch (error) {
      trouble = whyNotAt(port, error)
      log.error({}, trouble)
    }
    return now === null ? null : `http://${now.listening.authority}`
  })

  return {
    get trouble() {
      return trouble
    },
    open,
    async whyNot({ http: { acmePort: port } }) {
      if (port === 'off' || port === now?.port || port === now?.listening.port) return null
      try {
        await (await listenAt(port)).close()
        return null
      } catch (error) {
        return whyNotAt(port, error)
      }
    },
  }
}
