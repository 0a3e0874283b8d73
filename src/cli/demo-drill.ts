import { setTimeout as wait } from 'node:timers/promises'
import { createIds } from '../adapters/platform/system/ids.ts'
import { openStore } from '../adapters/stores/sqlite/open-store.ts'
import { operatorDrills } from '../app/operator/drills.ts'
import type { Config } from '../config.ts'
import { COMMAND } from '../core/operator/audit.ts'
import { SECOND } from '../lib/durations.ts'
import type { Service } from '../service.ts'
import type { StoryTeller } from './story-teller.ts'

const POLL_INTERVAL_MS = 200
/** When Ben opens his link, unless the viewer has opened one before. */
const BEN_ANSWERS_AFTER_MS = 26 * SECOND
const ENDED_AFTER_MS = 3 * SECOND
const LAST_LOOK_MS = 4 * SECOND

type Scene = {
  readonly service: Service
  readonly config: Config
  readonly user: { readonly appId: string; readonly externalUserId: string; readonly userId: string }
  readonly teller: StoryTeller
  readonly signal: AbortSignal
}

/**
 * Plays an exercise, as `tocsin drill start` begins it from another process: EXERCISE in every text, an answer on the
 * page, the report.
 */
export async function tellDrill({ service, config, user, teller, signal }: Scene): Promise<void> {
  const silent = { info() {}, warn() {}, error() {} }
  const { dataDir, notifications } = config
  const meter = { count() {}, observe() {} }
  const options = { dataDir, defaults: notifications.defaults, leaveNotices: true, log: silent, meter }
  const store = await openStore({ ...options, writesOnDemand: true })
  try {
    const drills = operatorDrills({ store, door: { change: store.changeIncident.bind(store) }, ids: createIds() })
    const by = () => ({ actor: COMMAND, address: null, now: Date.now() })
    const names = new Map((await store.contacts(user.userId)).map(({ id, name }) => [id, name]))
    const shown = new Set<number>()
    const report = async () => (await drills.reports(user.appId, 0))[0]
    const until = async (done: () => Promise<boolean>, maxMs: number): Promise<void> => {
      const begun = performance.now()
      while (!(await done()) && performance.now() - begun < maxMs) {
        await wait(POLL_INTERVAL_MS, undefined, { signal })
        for (const message of await service.store.outbox({ incidentId: null })) {
          if (shown.has(message.id)) continue
          shown.add(message.id)
          teller.sends(message, names.get(message.contactId) ?? '')
        }
      }
    }

    teller.says('drill', `the operator starts an exercise for ${user.externalUserId}`)
    const given = { externalUserId: user.externalUserId, toContacts: false }
    const started = await drills.start(user.appId, given, by())
    if ('refused' in started) throw new Error(`the exercise was refused: ${started.refused}`)
    const isAnswered = async () => (await report())?.firstAnswerSeconds != null
    await until(isAnswered, BEN_ANSWERS_AFTER_MS)
    if (!(await isAnswered())) {
      const sent = await service.store.outbox({ incidentId: null })
      const texts = sent.filter(({ contactId }) => names.get(contactId) === 'Ben').map(({ text }) => text)
      const link = texts.map((text) => teller.linkIn(text)).find((found) => found !== null)
      teller.says('Ben', 'opens his link and presses the button, as nobody here did')
      await fetch(`${link}/ack`, { method: 'POST', redirect: 'manual', signal })
    }
    await until(async () => false, ENDED_AFTER_MS)
    teller.says('drill', 'the operator ends it')
    await drills.end(user.appId, null, by())
    await until(async () => false, LAST_LOOK_MS)
    for (const { name, answer, afterSeconds, channels } of (await report())?.contacts ?? []) {
      const ways = channels.map(({ channel, status }) => `${channel} ${status}`).join('   ')
      teller.says('report', `${name}: ${answer === null ? 'no answer' : `${answer} after ${afterSeconds} s`}   ${ways}`)
    }
    teller.ends()
  } finally {
    await store.close()
  }
}
