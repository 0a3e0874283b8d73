import { end, startModule } from '../children.ts'
import type { Identity } from './frames.ts'

const PROCESS = new URL('./crowd-process.ts', import.meta.url)

/** What the process of the crowd is told. */
export type CrowdOrder = {
  readonly port: number
  readonly identities: readonly Identity[]
  /** How many connections are made at the same time. */
  readonly atOnce: number
}

/** How the opening went. `failures`: how many connections did not come about, by reason. */
export type Opened = {
  readonly opened: number
  readonly seconds: number
  readonly failures: Readonly<Record<string, number>>
}

export type CrowdReport =
  | ({ readonly kind: 'opened' } & Opened)
  | { readonly kind: 'standing'; readonly standing: number }

/** Many clients over TLS that are connected, listen for their events, and say nothing. */
export type Crowd = {
  /** Settles when the last one is connected and subscribed, or has failed. */
  readonly opened: Promise<Opened>
  /** How many connections stand now. */
  standing(): Promise<number>
  stop(): Promise<void>
}

/** Connects a crowd from a process of its own. */
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
