import type { AttemptOutcome } from '../../../core/incident/command.ts'
import { SECOND } from '../../../lib/durations.ts'
import type { Log } from '../../../ports/log.ts'
import type { Provider, TextNotification } from '../../../ports/notifier.ts'
import type { AnswerCodes } from './answer-codes.ts'
import type { ModemState } from './modem-state.ts'
import { type Spool, type SpoolFile, spoolFault } from './spool.ts'
import type { Precedence } from './spool-name.ts'

const PROVIDER = 'modem'

/** How often the folders are checked for the one text that the daemon has. */
const LOOK_MS = 200
/** How long a file may be in no folder while the daemon moves it across disks; after that, sent files are not kept. */
const MOVING_MS = 2 * SECOND
/** The most attempts remembered whose withdrawn text the daemon may have sent. */
const MAX_OPEN = 1000

const NUMBER = /^\+\d{3,15}$/

type ModemNeeds = {
  readonly spool: Spool
  readonly state: ModemState
  /** Null if contacts cannot answer by SMS. */
  readonly codes: Pick<AnswerCodes, 'codeFor'> | null
  /** How long the daemon may take for one text. */
  readonly patienceMs: number
  /** The SIM's rate, in segments. */
  readonly perSecond: number
  /** The name of the SIM's account: each node has its own. */
  readonly account: string
  readonly log: Log
  /** Real time, whatever clock the service uses, because the daemon lives by it. */
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
}

export type ModemNotifier = Provider & {
  /** Stops waiting: the outcome of a text with the daemon is looked up after the next start. */
  close(): void
}

/**
 * The provider `modem`: a GSM modem through the files backend of gammu-smsd. One text at a time, in the order of its
 * lane. A text is `sent` once the daemon has moved it to the folder `sent`. The file's name contains the attempt, so
 * that a written text is found again after a crash and never written twice. rules.md#providers, docs/adr/0043.
 */
export function createModemNotifier(needs: ModemNeeds): ModemNotifier {
  const { spool, state, codes, patienceMs, perSecond, account, log, monotonicMs, pause } = needs
  const rate = { perSecond, maxAtOnce: 1, account }
  /** Attempts withdrawn from the outbox that the daemon may have begun to send. */
  const open = new Set<string>()
  let isClosed = false

  const failed = (error: string): AttemptOutcome => {
    state.failed(error)
    return { kind: 'failed', error, retryable: true }
  }

  const faultOf = (error: unknown, { attemptId, incidentId }: TextNotification): AttemptOutcome => {
    const fault = spoolFault(error)
    state.spoolFault = fault
    log.warn({ incidentId, attemptId, err: error }, 'could not use the spool of the SMS modem')
    return failed(fault)
  }

  const settled = (folder: 'sent' | 'error'): AttemptOutcome => {
    if (folder === 'error') return failed('modem error')
    state.sent()
    return { kind: 'sent', provider: PROVIDER, providerRef: null }
  }

  /** Watches a text until the daemon is done with it. Rejects with the fault of the file system. */
  async function outcomeOf({ name }: SpoolFile, text: TextNotification): Promise<AttemptOutcome> {
    const until = monotonicMs() + patienceMs
    let missingSince: number | null = null
    for (;;) {
      const folder = await spool.folderOf(name)
      if (folder === 'sent' || folder === 'error') return settled(folder)
      const now = monotonicMs()
      missingSince = folder === null ? (missingSince ?? now) : null
      if (missingSince !== null && now - missingSince > MOVING_MS) return lost(text)
      if (isClosed) return { kind: 'unknown' }
      if (now >= until || text.leftMs?.() === 0) return takenBack(name, text)
      await pause(LOOK_MS)
    }
  }

  /** Handles a file that was in the outbox and is now in no folder. */
  function lost({ attemptId, incidentId }: TextNotification): AttemptOutcome {
    log.error({ incidentId, attemptId }, 'a text has left the outbox of gammu-smsd and is nowhere: is SentSMSPath set?')
    state.failed('modem error')
    return { kind: 'not_found', error: 'modem error' }
  }

  /**
   * Handles a text without an outcome in time. If the daemon has not started on it, it is withdrawn; if it may have,
   * the outcome is unknown. Either way it is the next provider's turn. rules.md#unknown-outcomes.
   */
  async function takenBack(name: string, { attemptId, incidentId }: TextNotification): Promise<AttemptOutcome> {
    const withdrawn = await spool.withdraw(name)
    if (withdrawn === 'gone') {
      const folder = await spool.folderOf(name)
      if (folder === 'sent' || folder === 'error') return settled(folder)
    }
    state.hung('modem timeout', monotonicMs())
    log.warn({ incidentId, attemptId, withdrawn }, 'the SMS modem did not send a text in time')
    if (withdrawn === 'unread') return { kind: 'failed', error: 'modem timeout', retryable: true }
    open.add(attemptId)
    if (open.size > MAX_OPEN) open.delete(open.values().next().value!)
    return { kind: 'unknown', refused: 'modem timeout' }
  }

  return {
    name: PROVIDER,
    channels: ['sms'],
    rate: { sms: rate, voice: rate },
    patienceMs,

    async send(text) {
      const { attemptId, claimedAt, to } = text
      if (!NUMBER.test(to)) return { kind: 'failed', error: 'invalid number', retryable: false }
      try {
        const earlier = await spool.of(attemptId)
        if (earlier.some(({ folder }) => folder === 'sent')) return settled('sent')
        const under = earlier.find(({ folder }) => folder === 'outbox')
        if (under !== undefined) return await outcomeOf(under, text)
        const error = state.standsStill(monotonicMs())
        if (error !== null) return { kind: 'failed', error, retryable: true }
        // Its failure has been recorded: left in place, the file would pass for the outcome of this try.
        for (const one of earlier) await spool.remove(one)
        open.delete(attemptId)
        const code = codes === null || text.answerable === undefined ? null : await codes.codeFor(to)
        const content = code === null ? text.text : (text.answerable?.(code) ?? text.text)
        const put = await spool.put({ precedence: precedenceOf(text), claimedAt, to, attemptId, code }, content)
        if (put === null) return { kind: 'failed', error: 'invalid number', retryable: false }
        return await outcomeOf(put, text)
      } catch (error) {
        return faultOf(error, text)
      }
    },

    async lookUp(text) {
      const { attemptId, claimedAt, provider } = text
      if (provider !== null && provider !== PROVIDER) return { kind: 'not_found' }
      try {
        const all = await spool.of(attemptId)
        if (all.some(({ folder }) => folder === 'sent')) return settled('sent')
        if (all.some(({ folder }) => folder === 'outbox')) return { kind: 'unknown' }
        if (open.has(attemptId)) return { kind: 'not_found', error: 'modem timeout' }
        return all.some((one) => one.claimedAt === claimedAt) ? settled('error') : { kind: 'not_found' }
      } catch (error) {
        faultOf(error, text)
        return { kind: 'unknown' }
      }
    },

    close() {
      isClosed = true
    },
  }
}

/** The same ranks as in the lanes: first alarms before repeats, alarms before anything else. */
function precedenceOf({ purpose, first, drill }: Pick<TextNotification, 'purpose' | 'first' | 'drill'>): Precedence {
  if (purpose === 'verification' || drill !== undefined) return 'E'
  if (purpose === 'all_clear' || purpose === 'tell_others' || purpose === 'test' || purpose === 'reminder') return 'C'
  return purpose === 'alarm' && first ? 'A' : 'B'
}
