import { setTimeout as sleep } from 'node:timers/promises'
import { startProcessSite } from '../../test/harness/process-site.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { COMMON } from '../environment.ts'
import { Ledger } from '../load/ledger.ts'
import { messagesOf } from '../load/messages.ts'
import type { Part } from '../part.ts'
import { rowOf } from '../row.ts'
import { Vitals } from '../sos/vitals.ts'

const PUBLIC_URL = 'https://sos.example.org'
const GRACE_MS = 200
/** Short, so that texts and calls are in flight at every moment. */
const SETTINGS = {
  'grace-seconds': GRACE_MS / 1000,
  'contact-interval-seconds': 0,
  'ack-timeout-seconds': 1.2,
  'voice-attempts': 1,
  rounds: 1,
}
const PRESSES = 5
/** The longest time until a kill. */
const MAX_MS = 600
/** A slow machine does fewer kills, and the row says how many. */
const MAX_KILLING_MS = 400_000
/** Attempts without an outcome are looked up after 10 s; a call comes after its text. */
const SETTLE_MS = 60_000

const what = (kills: number): string => `kill -9 at ${kills} random moments, under alerts, telemetry, texts and calls`

/** Acknowledged means on disk, and every deadline survives a crash. */
export const kill: Part = {
  name: 'kill',
  what: what(100),
  async run(ground, { kills }) {
    const twilio = await startTwilio(ground, {
      callsBack: { Messages: ['sent', 'delivered'], Calls: ['ringing', 'in-progress', 'completed'] },
    })
    const site = await startProcessSite(ground, {
      settings: SETTINGS,
      env: {
        ...COMMON,
        ...twilio.environment,
        TOCSIN_TWILIO_RECEIPTS: 'callback',
        TOCSIN_PUBLIC_URL: PUBLIC_URL,
        TOCSIN_TWILIO_SMS_PER_SECOND: '100',
        TOCSIN_TWILIO_CALLS_PER_SECOND: '100',
      },
    })
    const ledger = new Ledger()
    const vitals = new Vitals(site)
    let contacts = 0
    const flow = {
      presses: PRESSES,
      withinMs: MAX_MS / 2,
      contacts: () => ['Ana', 'Ben'].map((name) => ({ name, phone: `+43660${String(++contacts).padStart(7, '0')}` })),
    }
    const enough = performance.now() + MAX_KILLING_MS
    let done = 0
    for (let isLast = false; !isLast; ) {
      isLast = done === kills || performance.now() > enough
      twilio.reaches(PUBLIC_URL, site.http)
      await ledger.check(site)
      const over = new AbortController()
      const { ended } = await ledger.begin(site, over.signal, flow)
      await ledger.takesIn(1)
      // The last run continues, so that everything owed can be sent.
      await sleep(isLast ? MAX_MS : Math.random() * MAX_MS)
      if (!isLast) await site.kill()
      over.abort()
      await ended
      if (isLast) break
      done += 1
      await site.start()
    }
    const deadline = performance.now() + SETTLE_MS
    const messages = () => messagesOf(twilio, ledger.alerts, GRACE_MS)
    while (messages().missing > 0 && performance.now() < deadline) await sleep(500)
    await ledger.check(site, true)
    const { missing, late, doubled, sent } = messages()
    const rows = ledger.rowsAcknowledged
    return [
      rowOf({
        part: 'kill',
        what: what(done),
        acknowledged: ledger.alertsAcknowledged + rows,
        unanswered: ledger.unanswered,
        lost: ledger.lost + missing,
        late,
        doubled: doubled + ledger.doubledRows,
        sos: ledger.sos,
        ...vitals.stop(),
        remark: `${ledger.alertsAcknowledged} alerts, ${rows.toLocaleString('en')} rows; ${sent} texts and calls, ${missing} never sent`,
      }),
    ]
  },
}
