import type { TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeService } from '../../sdk/fake/index.ts'
import type { Shelf } from '../../sdk/src/keep/shelf.ts'
import { Http } from '../../sdk/src/send/http.ts'
import { type Battery, type Locate, Positions } from '../../sdk/src/sos/positions.ts'
import { Sos } from '../../sdk/src/sos/sos.ts'

/** What lies on a phone's disk, and which of the apps that use it sends. */
export class Disk {
  readonly kept = new Map<string, string>()
  readonly #waiting: ((leads: boolean) => void)[] = []
  /** No room is left. */
  isFull = false
  /** It answers only when this has passed. */
  slowMs = 0
  /** It is read only when this has passed. */
  slowToReadMs = 0

  shelf(): Shelf {
    return {
      isDurable: true,
      isSilent: true,
      put: async (key, value) => {
        if (this.isFull) throw new Error('no room')
        if (this.slowMs > 0) await new Promise<void>((resolve) => void setTimeout(resolve, this.slowMs))
        this.kept.set(key, JSON.stringify(value))
      },
      all: async () => {
        if (this.slowToReadMs > 0) await new Promise<void>((resolve) => void setTimeout(resolve, this.slowToReadMs))
        return new Map([...this.kept].map(([key, text]) => [key, JSON.parse(text)]))
      },
      remove: async (keys) => keys.forEach((key) => void this.kept.delete(key)),
      lead: (_name, signal, tell) => {
        const turnOf = (leads: boolean) => tell(leads)
        this.#waiting.push(turnOf)
        if (this.#waiting.length === 1) tell(true)
        signal.addEventListener('abort', () => {
          const first = this.#waiting[0] === turnOf
          this.#waiting.splice(this.#waiting.indexOf(turnOf), 1)
          if (first) this.#waiting[0]?.(true)
        })
      },
      close() {},
    }
  }
}

export type Started = { readonly sos: Sos; readonly http: Http; kill(): void }

type Parts = {
  readonly disk?: Disk
  readonly locate?: Locate
  readonly battery?: Battery
  readonly userHash?: () => Promise<string>
  /** Called with the path of every request. */
  readonly asked?: (path: string) => void
}

/** A start of an app, against a service in memory, on a clock that the test moves. Ends with the test. */
export function startApp(t: TestContext, service: FakeService, parts: Parts = {}): Started {
  const { disk = new Disk(), locate = async () => null, battery = async () => null } = parts
  const { userHash = async () => '00', asked = () => {} } = parts
  const stop = new AbortController()
  const http = new Http({ ...service.options, userHash }, (url, init) => {
    asked(new URL(url).pathname)
    return service.options.fetch!(url, init)
  })
  const positions = new Positions(http, null, { locate, battery })
  const sos = new Sos({ http, shelf: disk.shelf(), line: null, positions, random: () => 0.5, signal: stop.signal })
  const kill = () => {
    stop.abort()
    positions.send(false)
  }
  t.after(kill)
  return { sos, http, kill }
}

/** Timers and dates of this test stand still, except when it moves them. */
export function standStill(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 6, 4, 9) })
  return async (ms) => {
    await settled()
    for (let left = ms; left > 0; left -= 500) {
      t.mock.timers.tick(Math.min(left, 500))
      await settled()
    }
  }
}

async function settled(): Promise<void> {
  for (let n = 0; n < 4; n += 1) await turn()
}

export const service = (): FakeService => new FakeService()
