import type { Http } from '../send/http.ts'
import type { MqttLine } from '../send/mqtt-line.ts'
import { anyOf, rest, timeOut } from '../send/rest.ts'
import type { Alert, Position } from '../wire/alert.ts'

/** Asks the device. Null: it does not know. */
export type Locate = () => Position | null | Promise<Position | null>
/** Of the phone, 0 to 100. Null: it does not know. */
export type Battery = () => number | null | Promise<number | null>

const EVERY_MS = 15_000
/** Below this much of its battery a phone must last rather than tell. */
const LOW_PERCENT = 20
const SPARING_MS = 60_000
/** After so long without a PUBACK a row goes over REST. */
const PUBACK_MS = 10_000
/** Rows that could not be sent: an hour of them. */
const MAX_WAITING = 240

/** Sends where this device is, as telemetry, while it should. */
export class Positions {
  readonly #http: Http
  readonly #line: MqttLine | null
  readonly #locate: Locate
  readonly #battery: Battery
  readonly #waiting: Alert[] = []
  #sending: AbortController | null = null

  constructor(
    http: Http,
    line: MqttLine | null,
    { locate, battery }: { readonly locate: Locate; readonly battery: Battery },
  ) {
    this.#http = http
    this.#line = line
    this.#locate = locate
    this.#battery = battery
  }

  send(should: boolean): void {
    if (should === (this.#sending !== null)) return
    this.#sending?.abort()
    this.#sending = should ? new AbortController() : null
    if (this.#sending !== null) void this.#run(this.#sending.signal)
    else this.#waiting.length = 0
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [position, battery] = await Promise.all([asked(this.#locate), asked(this.#battery)])
      if (signal.aborted) return
      const timestamp = new Date(this.#http.now()).toISOString()
      const percent = battery === null ? {} : { mobileBattery: Math.round(battery) }
      if (position !== null) {
        this.#waiting.push({ ...position, ...percent, timestamp })
        this.#waiting.splice(0, this.#waiting.length - MAX_WAITING)
        void this.#deliver([...this.#waiting], signal)
      }
      await rest(battery !== null && battery < LOW_PERCENT ? SPARING_MS : EVERY_MS, signal)
    }
  }

  async #deliver(rows: readonly Alert[], signal: AbortSignal): Promise<void> {
    if (await this.#takes(rows, signal)) {
      const others = this.#waiting.filter((row) => !rows.includes(row))
      this.#waiting.splice(0, this.#waiting.length, ...others)
    }
  }

  async #takes(rows: readonly Alert[], signal: AbortSignal): Promise<boolean> {
    if (rows.length > 1) return isFinal(await this.#http.ask('POST', '/v1/sdk/telemetry/history', rows, signal))
    const [row] = rows
    if (row !== undefined && this.#line !== null && this.#line.lost !== null) {
      if (await this.#line.publishes('position', row, anyOf(signal, timeOut(PUBACK_MS)))) return true
    }
    return isFinal(await this.#http.ask('POST', '/v1/sdk/telemetry', row, signal))
  }
}

/** A function of the app's may throw, or answer without a promise: neither must end a press. */
const asked = async <T>(ask: () => T | null | Promise<T | null>): Promise<T | null> => {
  try {
    return (await ask()) ?? null
  } catch {
    return null
  }
}

/** Whether sending it again would change nothing: it is stored, or its fields are refused. */
const isFinal = (answer: { readonly status: number } | null): boolean =>
  answer !== null && (answer.status < 300 || answer.status === 400)
