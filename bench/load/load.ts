import { end, startModule } from '../children.ts'
import type { Order, Report, Result } from './orders.ts'

const GENERATOR = new URL('./generator.ts', import.meta.url)

export type Load = {
  /** Settles when counting begins: connected and warmed up. Rejects if the load could not be started. */
  readonly measuring: Promise<void>
  /** Settles when the generator has ended. */
  readonly result: Promise<Result>
  /** Ends the load before its time, or one without an end; its result follows. */
  stop(): void
  /** Ends the generator immediately, without a result. */
  cancel(): Promise<void>
}

/** Puts load on a broker from a separate process, which ends with its result. */
export function bringLoad(order: Order): Load {
  const generator = startModule(GENERATOR, [])
  const measuring = Promise.withResolvers<void>()
  const result = Promise.withResolvers<Result>()
  // Both reject together, and a caller may be waiting for only one of them.
  measuring.promise.catch(() => {})
  result.promise.catch(() => {})
  let said: Report | null = null
  generator.on('message', (report: Report) => {
    said = report
    if (report.kind === 'measuring') measuring.resolve()
    else void end(generator)
  })
  generator.on('exit', () => {
    if (said?.kind === 'done') {
      result.resolve(said.result)
      return
    }
    const reason = new Error(`load generator: ${said?.kind === 'failed' ? said.reason : 'ended without a result'}`)
    measuring.reject(reason)
    result.reject(reason)
  })
  generator.send(order)
  return {
    measuring: measuring.promise,
    result: result.promise,
    stop: () => void generator.send({ kind: 'stop' } satisfies Order),
    cancel: () => end(generator),
  }
}
