import { end, startModule } from '../children.ts'
import type { Identity } from './frames.ts'

const PROCESS = new URL('./crowd-process.ts', import.meta.url)

/** The order to the crowd's process. */
export type CrowdOrder = {
  readonly port: number
  readonly identities: readonly Identity[]
  /** How many connections are opened concurrently. */
  readonly atOnce: number
}

/** The result of the opening. `failures`: the number of failed connections by reason. */
type Opened = {
  readonly opened: number
  readonly seconds: number
  readonly failures: Readonly<Record<string, number>>
}

export type CrowdReport =
  | ({ readonly kind: 'opened' } & Opened)
  | { readonly kind: 'standing'; readonly standing: number }

/** Many clients over TLS that connect, subscribe to their events, and send nothing. */
export type Crowd = {
  /** Settles when every client has connected and subscribed, or failed. */
  readonly opened: Promise<Opened>
  /** The number of connections open now. */
  standing(): Promise<number>
  stop(): Promise<void>
}

/** Connects a crowd from a separate process. */
export function openCrowd(order: CrowdOrder): Crowd {
  const child = startModule(PROCESS, [])
  const opened = Promise.withResolvers<Opened>()
  const standing = Promise.withResolvers<number>()
  for (const { promise } of [opened, standing]) promise.catch(() => {})
  child.on('message', (report: CrowdReport) => {
    if (report.kind === 'opened') opened.resolve(report)
    else standing.resolve(report.standing)
  })
  child.on('exit', () => {
    for (const { reject } of [opened, standing]) reject(new Error('the process of the crowd has ended'))
  })
  child.send(order)
  return {
    opened: opened.promise,
    standing() {
      child.send('standing')
      return standing.promise
    },
    stop: () => end(child),
  }
}
