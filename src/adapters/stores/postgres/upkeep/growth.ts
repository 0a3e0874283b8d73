import { SLACK_ROWS } from '../../shared/limits.ts'
import type { Quotas } from '../../shared/quotas.ts'
import { OVERHEAD_BYTES } from '../../shared/telemetry-row.ts'
import type { Stored } from '../telemetry/append-rows.ts'
import { LETTER_BYTES } from './trim.ts'

/** What has to be looked at, because it has grown. */
export type Trims = {
  trimIncident(incidentNumber: number): void
  trimIncidents(userId: string): void
  chargeTelemetry(userNumber: number, bytes: number): void
  chargeLetters(userId: string, bytes: number): void
}

/** A user's growth is recorded in steps, not with every row. A crash loses less than one step per user. */
const STEP_BYTES = 64 * 1024
const STEPS_A_QUOTA = 16
/** Users and incidents whose growth is known only here. */
const MAX_KNOWN = 10_000

/** Adds amounts up by name, and passes a sum on once it reaches `step`, or when there are too many names. */
class Sums<K> {
  readonly #step: number
  readonly #pass: (name: K, sum: number) => void
  readonly #sums = new Map<K, number>()

  constructor(step: number, pass: (name: K, sum: number) => void) {
    this.#step = step
    this.#pass = pass
  }

  add(name: K, amount: number): void {
    const sum = (this.#sums.get(name) ?? 0) + amount
    if (sum >= this.#step) {
      this.#sums.delete(name)
      this.#pass(name, sum)
      return
    }
    this.#sums.set(name, sum)
    if (this.#sums.size <= MAX_KNOWN) return
    const [first] = this.#sums
    if (first === undefined) return
    this.#sums.delete(first[0])
    this.#pass(...first)
  }
}

const stepOf = (quotaBytes: number): number => Math.min(STEP_BYTES, quotaBytes / STEPS_A_QUOTA)

/** Notes what batches have stored, and asks for a trim now and then. */
export class Growth {
  readonly #trims: Trims
  readonly #hasIncidentQuota: boolean
  readonly #incidents: Sums<number>
  readonly #telemetry: Sums<number>
  readonly #letters: Sums<string>

  constructor({ telemetryBytes, deadLetterBytes, incidents }: Quotas, trims: Trims) {
    this.#trims = trims
    this.#hasIncidentQuota = Number.isFinite(incidents)
    this.#incidents = new Sums(SLACK_ROWS, (number) => trims.trimIncident(number))
    this.#telemetry = new Sums(stepOf(telemetryBytes), (number, bytes) => trims.chargeTelemetry(number, bytes))
    this.#letters = new Sums(stepOf(deadLetterBytes), (userId, bytes) => trims.chargeLetters(userId, bytes))
  }

  /** `grown`: numbers of incidents, one entry a row. */
  hearIncidents({
    opened = [],
    grown,
  }: {
    readonly opened?: readonly string[]
    readonly grown: readonly number[]
  }): void {
    if (this.#hasIncidentQuota) for (const userId of opened) this.#trims.trimIncidents(userId)
    for (const number of grown) this.#incidents.add(number, 1)
  }

  hearBulk({ owners, letters, grown }: Stored): void {
    for (const { number, bytes } of owners) this.#telemetry.add(number, bytes + OVERHEAD_BYTES)
    for (const { userId, bytes } of letters) this.#letters.add(userId, bytes + LETTER_BYTES)
    this.hearIncidents({ grown })
  }
}
