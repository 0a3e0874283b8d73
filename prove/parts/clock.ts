import { setTimeout as sleep } from 'node:timers/promises'
import { DAY, HOUR } from '../../src/lib/durations.ts'
import { startProcessSite } from '../../test/harness/process-site.ts'
import { startTwilio } from '../../test/harness/twilio-stand-in.ts'
import { COMMON } from '../environment.ts'
import type { Ground } from '../ground.ts'
import { Ledger } from '../load/ledger.ts'
import { messagesOf } from '../load/messages.ts'
import { makeShim, type Trouble } from '../machine/shim.ts'
import { stopProcess } from '../machine/stop-process.ts'
import { type Part, runPart } from '../part.ts'
import { type Row, rowOf } from '../row.ts'
import { Vitals } from '../sos/vitals.ts'

type Case = {
  readonly what: string
  readonly trouble: Partial<Trouble>
  /**
   * When the trouble happens: while the service runs, at a start on existing data, or while the whole machine is
   * suspended.
   */
  readonly when: 'running' | 'starting' | 'asleep'
  /** Also with incidents whose contacts have all been alarmed and have not answered. */
  readonly unanswered?: boolean
}

const AHEAD = 200 * DAY
const cases: readonly Case[] = [
  { what: 'the clock is set an hour ahead while it runs', trouble: { wallMs: HOUR }, when: 'running' },
  { what: 'the clock is set an hour back while it runs', trouble: { wallMs: -HOUR }, when: 'running' },
  { what: 'the clock is set 200 days ahead while it runs', trouble: { wallMs: AHEAD }, when: 'running' },
  { what: 'started with the clock an hour ahead', trouble: { wallMs: HOUR }, when: 'starting' },
  { what: 'started with the clock an hour back', trouble: { wallMs: -HOUR }, when: 'starting' },
  { what: 'started with the clock 200 days ahead', trouble: { wallMs: AHEAD }, when: 'starting', unanswered: true },
  { what: 'suspended for an hour, and resumed', trouble: { wallMs: HOUR, asleepMs: HOUR }, when: 'asleep' },
]

const AT_ONCE = 3
const GRACE_MS = 3000
const SETTINGS = {
  'grace-seconds': GRACE_MS / 1000,
  'contact-interval-seconds': 0,
  'ack-timeout-seconds': 2,
  'voice-attempts': 1,
  rounds: 1,
}
const PRESSES = 4
const FLOW_MS = 1000
const STOPPED_MS = 500
/** Wait this long for what is owed, then that long for anything that is not. */
const SETTLE_MS = 25_000
const AFTERMATH_MS = 2000

async function runCase(ground: Ground, { what, trouble, when, unanswered = false }: Case): Promise<Row> {
  const shim = makeShim(ground)
  const twilio = await startTwilio(ground)
  const site = await startProcessSite(ground, {
    settings: SETTINGS,
    env: {
      ...COMMON,
      ...twilio.environment,
      ...shim.environment,
      TOCSIN_TWILIO_SMS_PER_SECOND: '100',
      TOCSIN_TWILIO_CALLS_PER_SECOND: '100',
    },
  })
  const vitals = new Vitals(site)
  const ledger = new Ledger()
  let contacts = 0
  const flow = {
    presses: PRESSES,
    withinMs: FLOW_MS / 2,
    contacts: () => [{ name: 'Ana', phone: `+43660${String(++contacts).padStart(7, '0')}` }],
  }
  const flows = async (): Promise<void> => {
    const over = new AbortController()
    const { ended } = await ledger.begin(site, over.signal, flow)
    await sleep(FLOW_MS)
    over.abort()
    await ended
  }
  const messages = () => messagesOf(twilio, ledger.alerts, GRACE_MS)
  const settles = async (): Promise<void> => {
    const deadline = performance.now() + SETTLE_MS
    while (messages().missing > 0 && performance.now() < deadline) await sleep(250)
    await sleep(AFTERMATH_MS)
  }
  if (unanswered) {
    await flows()
    await settles()
  }
  await flows()
  const early = ledger.alerts.slice()
  switch (when) {
    case 'running':
      shim.makes(trouble)
      break
    case 'starting':
      await site.stop()
      shim.makes(trouble)
      await site.start()
      break
    case 'asleep':
      await stopProcess(site.process.pid)
      shim.makes(trouble)
      await sleep(STOPPED_MS)
      process.kill(site.process.pid, 'SIGCONT')
  }
  // The service notices within a second, but a user who presses in that second must be heard as well.
  await sleep(FLOW_MS)
  await flows()
  await settles()
  await ledger.check(site, true)
  const open = await site.look((store) => Promise.all(early.map(({ userId }) => store.openIncident(userId))))
  const ended = open.filter((record) => record === null).length
  const figures = messages()
  return rowOf({
    part: 'clock',
    what,
    acknowledged: ledger.alertsAcknowledged + ledger.rowsAcknowledged,
    unanswered: ledger.unanswered,
    lost: ledger.lost + figures.missing,
    late: figures.late,
    doubled: figures.doubled + ledger.doubledRows,
    sos: ledger.sos,
    ...vitals.stop(),
    remark: [
      `${figures.sent} texts and calls, ${figures.missing} never sent`,
      ...(figures.early > 0 ? [`${figures.early} within the grace window`] : []),
      ...(ended > 0 ? [`${ended} of ${early.length} open incidents ended by themselves`] : []),
    ].join('; '),
  })
}

/** Deadlines, incidents and rows while the clock is wrong, set, or stopped with the machine. */
export const clock: Part = {
  name: 'clock',
  what: 'the clock is wrong, set, or stands still with the machine',
  async run(_ground, size) {
    const chosen = size.kills === 1 ? cases.slice(-1) : cases
    const rows: Row[] = []
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      // A separate part each, so that a broken one does not affect the others.
      const batch = chosen
        .slice(at, at + AT_ONCE)
        .map((one) =>
          runPart({ name: 'clock', what: one.what, run: async (ground) => [await runCase(ground, one)] }, size),
        )
      rows.push(...(await Promise.all(batch)).flat())
    }
    return rows
  },
}
