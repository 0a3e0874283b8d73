import type { TestContext } from 'node:test'
import { newMoment } from '../harness/moment.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { type Reaction, startTwilio } from '../harness/twilio-stand-in.ts'

/** protocol.md#configuration: SIGTERM stops the service within this time. */
export const MAX_MS = 10_000
const SETTINGS = { 'grace-seconds': 0.1, voice: 'off', rounds: 1 } as const
const ANA = { name: 'Ana', phone: '+436601110001' }

/** A site whose first SMS is at the provider, which goes on with it after `held` and reacts with `reaction`. */
export async function sending(
  t: TestContext,
  {
    reaction,
    chat,
    held = Promise.resolve(),
  }: { readonly reaction?: Reaction; readonly chat?: string; readonly held?: Promise<void> },
) {
  const twilio = await startTwilio(t)
  const site = await startProcessSite(t, { settings: SETTINGS, env: twilio.environment })
  if (chat !== undefined) await site.tocsin('app', 'actuator', 'set', site.appId, 'chat', '--url', chat)
  const user = await site.user('hiker-1', [ANA])
  await user.listen()
  if (reaction !== undefined) twilio.reacts('create', 'Messages', reaction)
  const heard = new Promise<void>((resolve) =>
    twilio.watch(async (at) => {
      if (at !== 'heard') return
      resolve()
      await held
    }),
  )
  await user.presses({ timestamp: newMoment() })
  await heard
  return { site, user, twilio }
}

/** Asks the service to stop, and resolves with its exit code and the time it took. */
export async function stopped(site: ProcessSite): Promise<{ readonly code: number | null; readonly tookMs: number }> {
  const began = performance.now()
  const code = await site.process.stop()
  return { code, tookMs: performance.now() - began }
}

export const rowsIn = (site: ProcessSite, channel: 'sms' | 'chat') =>
  site.look(async (store) => {
    const [record] = await store.incidents({ openOnly: false })
    const rows = record!.incident.deliveries.filter((row) => row.channel === channel)
    return rows.map(({ status, claim, providerRef }) => ({ status, isClaimed: claim !== null, providerRef }))
  })
export const smsIn = async (site: ProcessSite) => (await rowsIn(site, 'sms'))[0]!
