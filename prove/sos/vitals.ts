import { readdirSync } from 'node:fs'
import { residentBytesOf } from '../../bench/machine.ts'
import type { ProcessSite } from '../../test/harness/process-site.ts'
import type { VitalFigures } from '../row.ts'

const LOOK_EVERY_MS = 100
const MB = 1024 * 1024

/** Checks ten times a second what the service uses, and whether it is alive. */
export class Vitals {
  readonly #site: ProcessSite
  readonly #timer: NodeJS.Timeout
  readonly #began = performance.now()
  #rss: number | null = null
  #descriptors: number | null = null
  #endedAfterMs: number | null = null

  constructor(site: ProcessSite) {
    this.#site = site
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  #look(): void {
    const { pid, isRunning } = this.#site.process
    if (!isRunning) {
      this.#endedAfterMs ??= performance.now() - this.#began
      return
    }
    this.#rss = greater(this.#rss, residentBytesOf(pid))
    this.#descriptors = greater(this.#descriptors, descriptorsOf(pid))
  }

  /** When the process ended by itself, in ms after the first check, or null. */
  get endedAfterMs(): number | null {
    return this.#endedAfterMs
  }

  stop(): VitalFigures {
    this.#look()
    clearInterval(this.#timer)
    return { rssMaxMb: this.#rss === null ? null : Math.round(this.#rss / MB), descriptorsMax: this.#descriptors }
  }
}

const greater = (one: number | null, other: number | null): number | null =>
  other === null ? one : Math.max(one ?? 0, other)

function descriptorsOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return null
  }
}
