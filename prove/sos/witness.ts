import { once } from 'node:events'
import { end, startModule } from '../../bench/children.ts'
import { median, spreadOf } from '../../bench/statistics.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import type { ProcessSite } from '../../test/harness/process-site.ts'
import { listenersOf } from '../attacks/listeners.ts'
import type { Ground } from '../ground.ts'
import { LATE_PRESS_MS, type Row, type SosFigures } from '../row.ts'
import { identityOf } from './phone.ts'
import type { Press, Said, Told, WitnessOrder } from './witness-process.ts'

const PROCESS = new URL('./witness-process.ts', import.meta.url)

export type WitnessOptions = {
  readonly people?: number
  readonly everyMs?: number
  readonly freshLogin?: boolean
  /** Over MQTT with TLS, which the site has to have. */
  readonly secure?: boolean
}

/** B: other users, who press SOS during the disturbance. */
export class Witness {
  readonly #site: ProcessSite
  readonly #people: readonly PhoneUser[]
  readonly #presses: Promise<readonly Press[]>
  readonly #child: ReturnType<typeof startModule>

  private constructor(site: ProcessSite, people: readonly PhoneUser[], child: ReturnType<typeof startModule>) {
    this.#site = site
    this.#people = people
    this.#child = child
    this.#presses = new Promise((resolve, reject) => {
      child.on('message', (said: Said) => 'presses' in said && resolve(said.presses))
      child.once('exit', () => reject(new Error('the witness ended without a word')))
    })
    this.#presses.catch(() => {})
  }

  /** Settles when they are connected and have begun to press. */
  static async begin(
    ground: Ground,
    site: ProcessSite,
    { people = 20, everyMs = 100, freshLogin = false, secure = false }: WitnessOptions = {},
  ): Promise<Witness> {
    const users = await Promise.all(Array.from({ length: people }, (_, n) => site.user(`b-${n}`)))
    const child = startModule(PROCESS, [])
    ground.after(() => end(child))
    const witness = new Witness(site, users, child)
    const ready = Promise.race([once(child, 'message'), witness.#presses])
    child.send({
      mqttPort: secure ? listenersOf(site).mqtts : Number(new URL(site.mqtt).port),
      secure,
      http: site.http,
      everyMs,
      freshLogin,
      people: users.map((user) => ({ identity: identityOf(user), headers: headersOf(user) })),
    } satisfies WitnessOrder satisfies Told)
    await ready
    return witness
  }

  /** Stops the presses; waits this long for those in flight. */
  async end(reliefMs: number): Promise<readonly Press[]> {
    this.#child.send({ end: { reliefMs } } satisfies Told)
    return this.#presses
  }

  /** How many of the acknowledged presses have no incident. The service has to be running. */
  async lostOf(presses: readonly Press[]): Promise<number> {
    let lost = 0
    for (const [person, { account }] of this.#people.entries()) {
      const moments = presses.filter((one) => one.person === person && one.acknowledgedMs !== null)
      if (moments.length === 0) continue
      const user = this.#site.phone(account.externalUserId)
      const { body } = await user.rest('GET', '/v1/sdk/sos/history?limit=100')
      const incidents: readonly any[] = body.items
      lost += moments.filter(({ moment }) => !incidents.some((incident) => accountsFor(incident, moment))).length
    }
    return lost
  }
}

/** The incident that the press opened, or one that was open when it came. */
function accountsFor({ occurredAt, cancelledAt, resolvedAt }: any, moment: string): boolean {
  if (occurredAt === moment) return true
  const closedAt = cancelledAt ?? resolvedAt
  const pressed = Date.parse(moment)
  return Date.parse(occurredAt) <= pressed && (closedAt === null || pressed <= Date.parse(closedAt))
}

const headersOf = ({ account, hash }: PhoneUser): Record<string, string> => ({
  'x-app-id': account.appId,
  'x-user-id': account.externalUserId,
  authorization: `Bearer ${hash}`,
})

/**
 * How long the press took for its person: until the event; or until the PUBACK, if the connection was lost in between;
 * or else the whole wait.
 */
const tookMs = ({ processedMs, acknowledgedMs, waitedMs }: Press): number => processedMs ?? acknowledgedMs ?? waitedMs

/** B's columns of a row. `quiet`: the earlier presses. */
export function columnsOf(
  presses: readonly Press[],
  quiet: readonly Press[],
): Pick<Row, 'acknowledged' | 'unanswered' | 'late' | 'sos'> {
  const acknowledged = presses.filter(({ acknowledgedMs }) => acknowledgedMs !== null).length
  return {
    acknowledged,
    unanswered: presses.length - acknowledged,
    late: presses.filter((press) => tookMs(press) > LATE_PRESS_MS).length,
    sos: presses.length === 0 ? null : figuresOf(presses, quiet),
  }
}

function figuresOf(presses: readonly Press[], quiet: readonly Press[]): SosFigures {
  const puback = spreadOf(presses.map(({ acknowledgedMs, waitedMs }) => acknowledgedMs ?? waitedMs))
  const processed = spreadOf(presses.map(tookMs))
  return {
    quietP50Ms: quiet.length === 0 ? null : median(quiet.map(tookMs)),
    presses: presses.length,
    pubackP50Ms: puback.p50,
    pubackMaxMs: puback.max,
    p50Ms: processed.p50,
    maxMs: processed.max,
  }
}
