import { MINUTE } from '../../../lib/durations.ts'

/** How long after a text that the modem did not send none is handed to it: they would only queue up behind it. */
const REST_MS = MINUTE
/** Percent. At this signal or less, texts fail or take several tries. gammu-smsd: 100 is -51 dBm, 10 about -107 dBm. */
const WEAK_SIGNAL = 10
/** More unfinished texts than this are a backlog: each takes several seconds, one after the other. */
const MANY_QUEUED = 5

/** The modem's state according to gammu-smsd. `signal`: in percent; null if unknown. */
export type ModemReport = { readonly isRunning: boolean; readonly signal: number | null }

/** The known state of the modem, written by the notifier and the checks, read by readiness and metrics. */
export class ModemState {
  /** The fault of the spool at its last use. */
  spoolFault: string | null = null
  /** The reason why answers cannot be read. */
  inboxFault: string | null = null
  /** Null: gammu-smsd is not asked, or has not been asked yet. */
  report: ModemReport | null = null
  /** Texts that the daemon has not finished with. */
  queued = 0
  #failure: string | null = null
  #restUntil = Number.NEGATIVE_INFINITY

  /** The modem has sent a text. */
  sent(): void {
    this.#failure = null
    this.#restUntil = Number.NEGATIVE_INFINITY
    this.spoolFault = null
  }

  /** The modem, or the spool, has not accepted a text. */
  failed(error: string): void {
    this.#failure = error
  }

  /** No outcome came in time. `now`: monotonic ms. */
  hung(error: string, now: number): void {
    this.#failure = error
    this.#restUntil = now + REST_MS
  }

  /** The reason not to hand over a text now, as a failure text; null if there is none. `now`: monotonic ms. */
  standsStill(now: number): 'modem timeout' | 'modem down' | null {
    if (this.report?.isRunning === false) return 'modem down'
    return now < this.#restUntil ? 'modem timeout' : null
  }

  /** Whether a text would leave now. `slow`: late, or after several tries. For readiness of users. */
  level(now: number): 'ok' | 'slow' | 'down' {
    if (this.spoolFault !== null || this.standsStill(now) !== null || this.report?.signal === 0) return 'down'
    if (this.#failure !== null || this.queued > MANY_QUEUED) return 'slow'
    return (this.report?.signal ?? 100) <= WEAK_SIGNAL ? 'slow' : 'ok'
  }

  /** The reason why texts may not leave, as a sentence for the operator; null if all is well. For readiness. */
  trouble(): string | null {
    if (this.spoolFault !== null) return `SMS modem: ${SENTENCES[this.spoolFault] ?? this.spoolFault}`
    if (this.report?.isRunning === false) return 'SMS modem: gammu-smsd is not running'
    if (this.#failure !== null) {
      return `SMS modem: the last text was not sent (${SENTENCES[this.#failure] ?? this.#failure})`
    }
    if (this.report?.signal === 0) return 'SMS modem: no signal'
    return this.inboxFault === null ? null : `SMS modem: answers cannot be read: ${this.inboxFault}`
  }
}

/** Failure texts (rules.md#failure-texts), worded as causes that an operator can look for. docs/modem.md. */
const SENTENCES: Readonly<Record<string, string>> = {
  'spool missing': 'a folder of modem.spool does not exist',
  'spool not writable': 'modem.spool is not writable; check owner, group and the unit',
  'spool full': 'the disk of modem.spool is full',
  'modem timeout': 'no outcome in time: is gammu-smsd running, is the PIN right?',
  'modem error': 'the network or the SIM refused it: credit, PIN, signal',
  'modem down': 'gammu-smsd is not running',
}
