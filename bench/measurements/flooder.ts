import { setTimeout as wait } from 'node:timers/promises'
import type { Application, Tocsin } from '../contenders/tocsin.ts'
import type { Identity } from '../load/frames.ts'
import { bringLoad } from '../load/load.ts'
import type { Message } from '../load/messages.ts'
import type { Plan } from '../plan.ts'
import { type PressSpreads, pressers } from './press.ts'

export type FlooderFigures = {
  readonly connections: number
  readonly inFlight: number
  readonly quiet: PressSpreads
  /** Beside one user who publishes as fast as the service takes it, at `floodRate` PUBACK/s. */
  readonly telemetry: PressSpreads & { readonly floodRate: number }
  readonly alerts: PressSpreads & { readonly floodRate: number }
}

const SETTLE_MS = 500
/** A flood ends when the presses are over. */
const ENDLESS_MS = 3_600_000

/** Presses SOS beside another user who floods the service: first with telemetry, then one with alerts. */
export async function measureFlooder(
  { tocsin, say }: { readonly tocsin: Tocsin; readonly say: (line: string) => void },
  plan: Plan['flooder'],
): Promise<FlooderFigures> {
  const application = await tocsin.createApplication('bench flooder')
  const press = await pressers(tocsin, application, plan, 3)
  const beside = async (kind: Message['kind']) => {
    const flood = kind === 'alert' ? 'alerts' : kind
    say(`flooder: ${plan.presses} presses beside one user's ${flood} over ${plan.connections} connections`)
    const load = bringLoad({
      kind: 'saturate',
      port: tocsin.port,
      identities: await flooderOn(tocsin, application, kind, plan.connections),
      inFlight: plan.inFlight,
      warmUpMs: SETTLE_MS,
      measureMs: ENDLESS_MS,
      message: { kind },
    })
    await load.measuring
    const pressed = await press()
    load.stop()
    const { measured, seconds } = await load.result
    await wait(SETTLE_MS)
    return { ...pressed, floodRate: measured / seconds }
  }
  say(`flooder: ${plan.presses} presses, nothing else going on`)
  const quiet = await press()
  const telemetry = await beside('telemetry')
  const alerts = await beside('alert')
  return { connections: plan.connections, inFlight: plan.inFlight, quiet, telemetry, alerts }
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
