import { end, startModule } from '../children.ts'
import type { Proof } from '../contenders/operators.ts'

const PROCESS = new URL('./consoles-process.ts', import.meta.url)

/** One console: who is signed in, and the incident whose page it shows; null: the board. */
export type Console = { readonly proof: Proof; readonly shows: string | null }

/** An incident of this user was first heard of by one of the consoles. `at`: epoch ms, to the microsecond. */
export type Heard = { readonly userId: string; readonly incidentId: string; readonly at: number }

export type ConsolesOrder =
  | { readonly kind: 'open'; readonly origin: string; readonly consoles: readonly Console[] }
  | { readonly kind: 'read boards' }
  | { readonly kind: 'tell' }

export type ConsolesReport =
  /** Each console's milliseconds until it has the whole board. */
  | { readonly kind: 'boards'; readonly boardMs: readonly number[] }
  | ({ readonly kind: 'told' } & Told)
  | { readonly kind: 'failed'; readonly reason: string }

/** What has been heard since the last call, and the milliseconds of each case that was read again. */
type Told = { readonly heard: readonly Heard[]; readonly caseMs: readonly number[] }

/** Consoles without a browser, in a separate process: they follow the events, and read what the page reads. */
export type Consoles = {
  /** Settles once each follows the events and has the board. */
  readonly opened: Promise<readonly number[]>
  /** All of them read the board at once, as after a lost connection. */
  readBoards(): Promise<readonly number[]>
  told(): Promise<Told>
  stop(): Promise<void>
}

export function openConsoles(origin: string, consoles: readonly Console[]): Consoles {
  const child = startModule(PROCESS, [])
  let waiting = Promise.withResolvers<ConsolesReport>()
  let failed: Error | null = null
  child.on('message', (report: ConsolesReport) => {
    if (report.kind === 'failed') failed = new Error(`the consoles: ${report.reason}`)
    waiting.resolve(report)
  })
  child.on('exit', () => waiting.reject(new Error('the process of the consoles has ended')))
  const order = async <K extends ConsolesReport['kind']>(
    given: ConsolesOrder,
    kind: K,
  ): Promise<Extract<ConsolesReport, { kind: K }>> => {
    waiting = Promise.withResolvers()
    child.send(given)
    const report = await waiting.promise
    // Also what failed while nobody waited: without it the others would have less to do.
    if (failed !== null) throw failed
    if (report.kind !== kind) throw new Error(`the consoles: ${report.kind} instead of ${kind}`)
    return report as Extract<ConsolesReport, { kind: K }>
  }
  const boards = async (given: ConsolesOrder) => (await order(given, 'boards')).boardMs
  return {
    opened: boards({ kind: 'open', origin, consoles }),
    readBoards: () => boards({ kind: 'read boards' }),
    told: () => order({ kind: 'tell' }, 'told'),
    stop: async () => {
      waiting.promise.catch(() => {})
      await end(child)
    },
  }
}
