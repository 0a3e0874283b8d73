import { SLACK_ROWS } from '../../shared/limits.ts'
import { LETTER_BYTES, type Quotas, usageStepOf } from '../../shared/quotas.ts'
import { Sums } from '../../shared/sums.ts'
import { OVERHEAD_BYTES } from '../../shared/telemetry-row.ts'
import type { Stored } from '../telemetry/append-rows.ts'

/** Trims to make for rows that have grown. */
export type Trims = {
  trimIncident(incidentNumber: number): void
  trimIncidents(userId: string): void
  chargeTelemetry(userNumber: number, bytes: number): void
  chargeLetters(userId: string, bytes: number): void
}

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
    this.#telemetry = new Sums(usageStepOf(telemetryBytes), (number, bytes) => trims.chargeTelemetry(number, bytes))
    this.#letters = new Sums(usageStepOf(deadLetterBytes), (userId, bytes) => trims.chargeLetters(userId, bytes))
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
