import { end, startModule } from '../children.ts'
import { type Spread, spreadOf } from '../statistics.ts'

const PROCESS = new URL('./apps-process.ts', import.meta.url)

/** A phone on which the app is installed. */
export type Phone = { readonly appId: string; readonly userId: string; readonly credential: string }

/** `origin`: over TLS, as phones need it. */
export type AppsOrder = { readonly origin: string; readonly phones: readonly Phone[]; readonly perSecond: number }

/** What the openings took, of the phones that opened until it was stopped. */
export type Opened = {
  readonly openMs: readonly number[]
  readonly requests: number
  readonly connections: number
  /** As they go through the network, TLS included. */
  readonly bytesReceived: number
  readonly bytesSent: number
}

export type Openings = Omit<Opened, 'openMs'> & { readonly openMs: Spread }

/** Opens the app on some phones, in a separate process: at random moments, whatever became of those before. */
export function openApps(order: AppsOrder): {
  /** Settles when all have opened. */
  readonly opened: Promise<void>
  /** Closes them. */
  stop(): Promise<Openings>
} {
  const child = startModule(PROCESS, [])
  const opened = Promise.withResolvers<void>()
  const told = Promise.withResolvers<Opened>()
  const failed = (reason: string): void => {
    const error = new Error(`the process of the apps: ${reason}`)
    opened.reject(error)
    told.reject(error)
  }
  for (const { promise } of [opened, told]) promise.catch(() => {})
  child.on('message', (message: 'opened' | { readonly failed: string } | Opened) => {
    if (message === 'opened') opened.resolve()
    else if ('failed' in message) failed(message.failed)
    else told.resolve(message)
  })
  child.once('exit', () => failed('it has ended'))
  child.send(order)
  return {
    opened: opened.promise,
    async stop() {
      child.send('stop')
      const { openMs, ...sums } = await told.promise
      await end(child)
      return { ...sums, openMs: spreadOf(openMs) }
    },
  }
}
