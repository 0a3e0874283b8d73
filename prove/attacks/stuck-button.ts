import { setTimeout as sleep } from 'node:timers/promises'
import { alertTopic } from '../../bench/load/frames.ts'
import { newMoment } from '../../test/harness/moment.ts'
import type { PhoneUser } from '../../test/harness/phone-user.ts'
import { identityOf, Phone } from '../sos/phone.ts'
import { attackPart } from './under-attack.ts'

const CONTACTS = 10
const MAX_PRESSES = 500
const PRESS_EVERY_MS = 10

let a: PhoneUser

/** Every press alarms ten contacts again; then the user cancels. */
export const stuckButton = attackPart({
  name: 'stuck-button',
  what: `A, with ${CONTACTS} contacts, presses without end, every press alarms again; then A cancels`,
  times: 2,
  site: () => ({
    settings: {
      'grace-seconds': 0,
      'contact-interval-seconds': 0,
      'ack-timeout-seconds': 0,
      'realarm-seconds': 0,
      rounds: 1,
      voice: 'off',
    },
  }),
  async prepare({ site }) {
    const contacts = Array.from({ length: CONTACTS }, (_, n) => ({ name: `Contact ${n}`, phone: `+43660123450${n}` }))
    a = await site.user('a', contacts)
  },
  async run({ site, over }) {
    const phone = await Phone.connect(Number(new URL(site.mqtt).port), identityOf(a))
    let presses = 0
    for (; presses < MAX_PRESSES && !over.aborted; presses++) {
      await phone.publish(alertTopic(a.userId), JSON.stringify({ timestamp: newMoment() }))
      await sleep(PRESS_EVERY_MS)
    }
    const texts = await site.look(async (store) => (await store.outbox({ incidentId: null })).length)
    const began = performance.now()
    const { status } = await a.rest('POST', '/v1/sdk/sos/cancel')
    phone.close()
    const tookMs = Math.round(performance.now() - began)
    return `${presses} presses, ${Math.floor(texts / CONTACTS)} rounds of texts; the cancel (${status}) took ${tookMs} ms`
  },
})
