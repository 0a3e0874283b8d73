import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Application, startTocsin, type Tocsin } from '../contenders/tocsin.ts'
import { type AskedBody, askOnAndOn } from '../load/asker.ts'
import { callOnAndOn } from '../load/callers.ts'
import type { Identity } from '../load/frames.ts'
import { bringLoad } from '../load/load.ts'
import type { Message } from '../load/messages.ts'
import type { Plan } from '../plan.ts'
import { type PressSpreads, pressers } from './press.ts'

/** `floodRate`: PUBACKs, answers or connections a second. */
type Beside = PressSpreads & { readonly floodRate: number }

export type FlooderFigures = {
  readonly connections: number
  readonly inFlight: number
  readonly requestConnections: number
  readonly quiet: PressSpreads
  /** Beside one user who publishes as fast as the service takes it. */
  readonly telemetry: Beside
  readonly alerts: Beside
  /** Beside one user who posts to `/v1/sdk/sos` as fast as it is answered. */
  readonly requests: Beside
  readonly unreadable: Beside
  /** Beside one address that connects to MQTT again and again. */
  readonly newConnections: Beside
  readonly handshakes: Beside
}

const SETTLE_MS = 500
/** A flood ends when the presses are over. */
const ENDLESS_MS = 3_600_000
const SECURE = { TOCSIN_MQTTS_HOST: '127.0.0.1', TOCSIN_MQTTS_PORT: '0' } as const
const KINDS = 6

/** A running flood. `stop`: ends it and tells its rate. */
type Flood = { stop(): Promise<number> }

/** Presses SOS beside another user, or an address, that floods a separate service: in one way after another. */
export async function measureFlooder(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  plan: Plan['flooder'],
): Promise<FlooderFigures> {
  const tocsin = await startTocsin(join(dir, 'flooder'), [], SECURE)
  const application = await tocsin.createApplication('bench flooder')
  const press = await pressers(tocsin, application, plan, 1 + KINDS)
  const beside = async (what: string, begin: () => Promise<Flood>): Promise<Beside> => {
    say(`flooder: ${plan.presses} presses beside ${what}`)
    const flood = await begin()
    await wait(SETTLE_MS)
    const pressed = await press()
    const floodRate = await flood.stop()
    await wait(SETTLE_MS)
    return { ...pressed, floodRate }
  }

  const publishing = async (kind: Message['kind']): Promise<Flood> => {
    const identities = await flooderOn(tocsin, application, kind, plan.connections)
    const { inFlight } = plan
    const order = { warmUpMs: SETTLE_MS, measureMs: ENDLESS_MS, message: { kind } } as const
    const load = bringLoad({ kind: 'saturate', port: tocsin.port, identities, inFlight, ...order })
    await load.measuring
    return {
      async stop() {
        load.stop()
        const { measured, seconds } = await load.result
        return measured / seconds
      },
    }
  }

  const asking = async (body: AskedBody): Promise<Flood> => {
    const [user] = await tocsin.createUsers(application, `asker-${body}`, 1, 0)
    const asked = askOnAndOn({
      origin: tocsin.http,
      headers: headersOf(user!),
      paths: ['/v1/sdk/sos'],
      connections: plan.requestConnections,
      body,
    })
    return {
      async stop() {
        const { statuses, seconds } = await asked.stop()
        return Object.values(statuses).reduce((sum, count) => sum + count, 0) / seconds
      },
    }
  }

  const calling = async (isSecure: boolean): Promise<Flood> => {
    const port = isSecure ? tocsin.securePort! : tocsin.port
    const called = callOnAndOn({ port, isSecure, perSecond: plan.callsPerSecond })
    return {
      async stop() {
        const { made, seconds } = await called.stop()
        return made / seconds
      },
    }
  }

  say(`flooder: ${plan.presses} presses, nothing else going on`)
  const quiet = await press()
  const published = `over ${plan.connections} connections`
  const requested = `over ${plan.requestConnections} REST connections`
  const figures = {
    connections: plan.connections,
    inFlight: plan.inFlight,
    requestConnections: plan.requestConnections,
    quiet,
    telemetry: await beside(`one user's telemetry ${published}`, () => publishing('telemetry')),
    alerts: await beside(`one user's alerts ${published}`, () => publishing('alert')),
    requests: await beside(`one user's alerts ${requested}`, () => asking('alert')),
    unreadable: await beside(`one user's bodies without an end ${requested}`, () => asking('unreadable')),
    newConnections: await beside(`${plan.callsPerSecond} new connections a second`, () => calling(false)),
    handshakes: await beside(`${plan.callsPerSecond} new TLS connections a second`, () => calling(true)),
  }
  await tocsin.stop()
  return figures
}

/** One user on several connections. */
async function flooderOn(
  tocsin: Tocsin,
  application: Application,
  kind: string,
  connections: number,
): Promise<Identity[]> {
  const [user] = await tocsin.createUsers(application, `flooder-${kind}`, 1, 0)
  return Array.from({ length: connections }, (_, n) => ({ ...user!, clientId: `${user!.clientId}-${n}` }))
}

function headersOf({ username, password }: Identity): Readonly<Record<string, string>> {
  const [, appId, externalUserId] = username.split(':')
  return { 'x-app-id': appId!, 'x-user-id': externalUserId!, authorization: `Bearer ${password}` }
}
