import type { Client } from './device.ts'
import { didOf, type Result, verdictOf } from './report.ts'
import { type Site, startSite } from './site.ts'
import type { Situation } from './situations.ts'
import { Stage } from './stage.ts'

export type Plan = {
  readonly client: Client
  readonly situations: readonly Situation[]
  /** How many at the same time. */
  readonly atOnce: number
  /** The network is gone for seconds instead of a minute. */
  readonly short: boolean
  /** What the client wrote goes to stderr. */
  readonly verbose: boolean
}

/** One service, and another for situations with a wrong clock. */
type Sites = { of(situation: Situation): Site; stop(): Promise<void> }

export async function openSites(situations: readonly Situation[]): Promise<Sites> {
  const sites = new Map<number, Site>()
  const stop = async () => {
    for (const site of sites.values()) await site.stop()
  }
  try {
    for (const { clockMs = 0 } of situations) if (!sites.has(clockMs)) sites.set(clockMs, await startSite(clockMs))
  } catch (error) {
    await stop()
    throw error
  }
  return { of: ({ clockMs = 0 }) => sites.get(clockMs)!, stop }
}

/** Resolves with what the client did in each situation. Ends whatever the client has started. */
export async function playAll(sites: Sites, plan: Plan): Promise<readonly Result[]> {
  const results = new Map<Situation, Result>()
  const waiting = [...plan.situations]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const result = await play(next, sites.of(next), plan)
      results.set(next, result)
      if (process.stderr.isTTY) console.error(`${verdictOf(result).padEnd(5)} ${result.title}`)
    }
  }
  await Promise.all(Array.from({ length: plan.atOnce }, work))
  return plan.situations.map((situation) => results.get(situation)!)
}

async function play(situation: Situation, site: Site, { client, short, verbose }: Plan): Promise<Result> {
  const { name, title, should } = situation
  const stage = await Stage.open(site, client, name, short)
  try {
    await situation.play(stage)
  } finally {
    await stage.close()
  }
  const { findings, phones } = stage
  if (verbose) for (const { device } of phones) for (const { text } of device.lines) console.error(`${name}: ${text}`)
  const isMute = phones.every(({ device, line }) => line.knocks === 0 && device.lines.length > 0)
  const last = isMute ? ` (it wrote: ${phones[0]!.device.lines.at(-1)?.text})` : ''
  return { name, title, should, findings, did: didOf(phones.map(({ line }) => line)) + last }
}
