import type { Settings } from '../../../../src/core/account/settings.ts'
import { HOUR, MINUTE, SECOND } from '../../../../src/lib/durations.ts'

/**
 * A second implementation of rules.md, written from that page alone: who is notified of what and when, and the
 * incident's status. Times are epoch milliseconds. It has no rows, only notifications that are still to be sent.
 */
export type Kind = 'owner' | 'relay'
/** Who presses: a listed relay is an own source, but alarms on the relays' track. */
export type Presser = Kind | 'listed'
/** What opened it: a press, or an operator who starts an exercise. */
export type Opening = Presser | 'drill'
export type Result = 'sent' | 'delivered' | 'refused' | 'retryable'
export type By = 'session' | 'operator'

/** One number of a contact. `who`: of this number alone; `of`: the contact, which may have several. */
type Contact = {
  readonly who: string
  readonly of: string
  phone: string
  /** Who added this number during the alarm. Absent: it was to be alarmed when the incident opened. */
  joined?: By
  /** Was let see the position. */
  isShown?: boolean
  /** Its place among those whom the user's own session removed. */
  removal?: number
  /** Gets no more messages but the closing text. */
  isGone?: boolean
}

/**
 * A notification to send. A further press waits for the `alarm`s of a round; `tries` counts earlier retryable failures.
 */
type Telling = {
  at: number
  readonly purpose: string
  readonly channel: 'sms' | 'voice' | 'webhook'
  readonly who: string
  nth: number
  readonly tries: number
  /** An operator had it sent: of no round, until one begins that takes it over. */
  resent?: boolean
}
type Round = {
  startedAt: number
  lastAttemptAt: number
  left: number
  pauses: number
  cause: Kind | 'watch' | 'withdrawal'
  readonly n: number
  /** Who withdrew, and how many of their withdrawals in turn have alarmed. */
  readonly withdrawals: { readonly of: string | null; readonly n: number } | null
  /** When an unanswered round ends, or the next one begins after a pause. */
  nextAt: number | null
  /** Began because the only helper had only ever said that they still help. */
  readonly isAlone: boolean
  state: 'running' | 'pausing' | 'answered' | 'over'
}
/** `prolonged`: how many questions in turn the only helper has answered. `isAlone`: they may not once more. */
type Watch = { at: number; asked: boolean; since: number; withdrawn: boolean; prolonged: number; isAlone?: boolean }
/** Beyond this the others are alarmed. */
const MAX_PROLONGED = 2
type Track = { since: number; realarms: number; kept: boolean }

const PAUSES = [15 * MINUTE, 30 * MINUTE, HOUR]
const SMS_WAITS = [1, 5, 15, 60].map((wait) => wait * SECOND)
const ANSWER_WAIT = 5 * MINUTE
const OVERDUE = 10 * MINUTE
const LONGEST_PROMISE = 130 * MINUTE
const UNDO = MINUTE
const DRILL = 30 * MINUTE
/** `calling`, or the minutes after which a helper who is coming will be there. */
type Promised = number | 'calling'
const MAX_OPEN_MS = 7 * 24 * HOUR
const ms = (seconds: number): number => seconds * SECOND
const nth = (waits: readonly number[], n: number): number => waits[Math.min(n, waits.length) - 1] as number
const isRetriedText = ({ channel, purpose, tries, resent }: Telling): boolean =>
  channel === 'sms' && purpose === 'alarm' && tries > 0 && resent !== true
const isNews = ({ purpose }: Telling): boolean => purpose !== 'alarm'
const trackOf = (by: Presser): Kind => (by === 'owner' ? 'owner' : 'relay')
const isOfRound = ({ purpose, resent }: Telling): boolean => purpose === 'alarm' && resent !== true

export class Model {
  status: 'active' | 'acknowledged' | 'cancelled' | 'resolved' = 'active'
  lastSeenAt = Number.NEGATIVE_INFINITY
  /** Contacts who have answered and not withdrawn. */
  private readonly answered = new Set<string>()
  /** When the operator answered, unless that was taken back. */
  private takenAt: number | null = null
  /** What each contact promised last, and in which round they said so or that they can't help. */
  private readonly promises = new Map<string, Promised>()
  private readonly responded = new Map<string, number>()
  private readonly unable = new Set<string>()
  /** Contacts who get nothing more but the closing text. sms.md#wrong-number. */
  private readonly stopped = new Map<string, 'stop' | 'stranger'>()
  /** When each contact last said that they help. */
  private readonly saidAt = new Map<string, number>()
  /** In which round each contact last said so, and the operator did. */
  private readonly saidIn = new Map<string | null, number>()
  private readonly resentAt = new Map<string, number>()
  /** News of help: how often each contact got it, and of which round, and whether that said that somebody comes. */
  private readonly news = new Map<string, { times: number; round: number; isComing: boolean }>()
  /** What the operator's answer, the newest one, put off. */
  private before: Watch | null = null
  /** Who answered or withdrew last, and before the operator did; null: the operator. */
  private lastBy: string | null = null
  private lastByBefore: string | null = null
  /** Who withdrew last as the last helper; null: the operator. */
  private withdrew: string | null = null
  private readonly joining: Contact[] = []
  private pending: Telling[] = []
  private readonly reached = new Set<string>()
  private readonly tracks: Record<Kind, Track>
  private round!: Round
  private watch: Watch | null = null
  private firstAnswerAt = Number.NEGATIVE_INFINITY
  readonly contacts: Contact[]
  private readonly settings: Settings
  private lastAlertAt: number
  /** News wait for the post that opens the story. */
  private readonly openingPostAt: number
  private lastCallFor: number | null = null
  /** preparing.md#drills. */
  private readonly isDrill: boolean
  /** Nobody but relays that are not listed has pressed. rules.md#relays. */
  private isOthers: boolean
  private isEndedByUser = false
  /** rules.md#position-access. */
  private readonly openedAlone: boolean
  private isChangeTold = false
  private removals = 0
  /** Numbers to which an attempt has begun. */
  private readonly tried = new Set<string>()

  constructor(settings: Settings, contacts: Contact[], by: Opening, now: number) {
    this.isDrill = by === 'drill'
    this.settings = this.isDrill ? { ...settings, rounds: 1, persistHours: 0, watchMinutes: 0 } : settings
    this.contacts = contacts
    this.lastAlertAt = now
    this.isOthers = by === 'relay'
    this.openedAlone = contacts.length === 0
    const startedAt = now + ms(settings.graceSeconds)
    const never: Track = { since: Number.NEGATIVE_INFINITY, realarms: 0, kept: false }
    this.tracks = { owner: { ...never }, relay: { ...never } }
    this.round = this.begins(startedAt, by === 'drill' ? 'owner' : trackOf(by), this.settings.rounds - 1, 0)
    this.cascade(startedAt, contacts, this.settings.contactIntervalSeconds)
    this.openingPostAt = startedAt
    this.post('alarm', startedAt)
  }

  get isOpen(): boolean {
    return this.status === 'active' || this.status === 'acknowledged'
  }

  // Rounds

  /** A round that the owner did not trigger moves no deadline of the owner's. */
  private begins(at: number, cause: Round['cause'], left: number, pauses: number, isAnother = true): Round {
    if (cause === 'owner') this.tracks.owner.since = at
    this.tracks.relay.since = at
    this.unable.clear()
    const n = (this.round?.n ?? 0) + 1
    const before = this.round?.withdrawals ?? null
    const next = { of: this.withdrew, n: before?.of === this.withdrew ? before.n + 1 : 1 }
    const withdrawals = cause !== 'withdrawal' ? null : isAnother ? next : before
    return {
      startedAt: at,
      lastAttemptAt: at,
      left,
      pauses,
      cause,
      n,
      withdrawals,
      nextAt: null,
      isAlone: this.isAlone(cause, isAnother),
      state: 'running',
    }
  }

  private isAlone(cause: Round['cause'], isAnother: boolean): boolean {
    return cause === 'watch' && (isAnother ? this.watch?.isAlone === true : this.round.isAlone)
  }

  private cascade(at: number, contacts: readonly Contact[], interval: number): void {
    contacts.forEach(({ who }, k) => {
      this.tell(at + k * ms(interval), who)
    })
  }

  private tell(at: number, who: string): void {
    this.plan({ at, purpose: 'alarm', channel: 'sms', who, nth: 1, tries: 0 })
    if (this.settings.voice) {
      this.plan({
        at: at + ms(this.settings.ackTimeoutSeconds),
        purpose: 'alarm',
        channel: 'voice',
        who,
        nth: 1,
        tries: 0,
      })
    }
  }

  /**
   * A waiting notification for the same contact and channel moves to the new round. It never becomes later, except that
   * a retry keeps its wait.
   */
  private plan(telling: Telling): void {
    const waiting = this.pending.find(
      ({ purpose, channel, who }) => purpose === 'alarm' && channel === telling.channel && who === telling.who,
    )
    if (waiting === undefined) {
      this.pending.push(telling)
      return
    }
    if (waiting.tries === 0) waiting.at = Math.min(waiting.at, telling.at)
    waiting.nth = 1
    waiting.resent = false
  }

  /** One waiting post of a kind is enough: it describes the state at the moment it leaves. rules.md#webhooks. */
  private post(purpose: string, at: number): void {
    if (this.pending.some((telling) => telling.channel === 'webhook' && telling.purpose === purpose)) return
    this.pending.push({ at, purpose, channel: 'webhook', who: '', nth: 1, tries: 0 })
  }

  /** Calls and rounds wait neither for a text that is only being retried nor for a post. */
  private isCascading(): boolean {
    return this.pending.some((telling) => isOfRound(telling) && telling.channel !== 'webhook' && telling.tries === 0)
  }

  /** Another alarm to the given contacts; without intervals if someone had answered. */
  private alarms(now: number, cause: Round['cause'], contacts: readonly Contact[]): void {
    this.round = this.begins(now, cause, this.settings.rounds - 1, 0)
    this.watch = null
    this.cascade(
      now,
      contacts.filter(this.isTold),
      this.status === 'acknowledged' ? 0 : this.settings.contactIntervalSeconds,
    )
    this.post('reopened', now)
  }

  /** An alarm picks up contacts who joined, and leaves out those who were removed. */
  private joins(): void {
    this.contacts.push(...this.joining.splice(0))
    for (const contact of this.contacts) if (contact.removal !== undefined) contact.isGone = true
    const order = [...new Set(this.contacts.map(({ of }) => of))]
    this.contacts.sort((a, b) => order.indexOf(a.of) - order.indexOf(b.of))
  }

  /** After any acknowledgement the contacts' pending attempts are skipped; chat and webhook still go out. */
  private dropAlarms(): void {
    this.pending = this.pending.filter((telling) => telling.channel === 'webhook')
  }

  private continues(now: number): void {
    const { round, settings } = this
    if (round.state === 'answered' || round.state === 'over' || this.isCascading()) return
    if (round.state === 'running') {
      round.nextAt = this.isDeclined() ? round.startedAt : round.lastAttemptAt + ms(settings.ackTimeoutSeconds)
      if (now < round.nextAt) return
      const isAnyoneLeft = this.contacts.some(this.isTold)
      if (round.left > 0 && isAnyoneLeft) {
        this.runsAgain(now, round.left - 1, 0)
        return
      }
      const pauseEnds = now + nth(PAUSES, round.pauses + 1)
      const persists = isAnyoneLeft && pauseEnds <= this.lastAlertAt + settings.persistHours * HOUR
      if (round.pauses === 0 || !persists) this.post('unanswered', now)
      this.round = { ...round, state: persists ? 'pausing' : 'over', nextAt: persists ? pauseEnds : null }
    }
    if (this.round.state === 'pausing' && now >= (this.round.nextAt as number)) {
      this.runsAgain(now, 0, this.round.pauses + 1)
      // With everyone stopped, that round ends as it begins.
      if (!this.contacts.some(this.isTold)) this.continues(now)
    }
  }

  /** A kept press stays kept: it gets an alarm of its own. */
  private runsAgain(now: number, left: number, pauses: number): void {
    this.round = this.begins(now, this.round.cause, left, pauses, false)
    this.cascade(now, this.contacts.filter(this.isTold), this.settings.contactIntervalSeconds)
  }

  private readonly isTold = ({ who, isGone = false }: Contact): boolean => !this.stopped.has(who) && !isGone

  isGone(who: string | null): boolean {
    return this.contacts.some((contact) => contact.who === who && contact.isGone === true)
  }

  // Further presses

  press(now: number, presser: Presser): void {
    const by = trackOf(presser)
    this.lastAlertAt = now
    if (presser !== 'relay') this.isOthers = false
    // ADR 0025: while contacts are being notified for the first time, that round answers the press.
    const isBefore = now < this.round.startedAt && this.contacts.length === 0
    if (this.status === 'active' && (this.isCascading() || isBefore)) return
    this.tracks[by].kept = true
    this.realarm(now)
  }

  private distance({ realarms }: Track): number {
    return this.grown(realarms)
  }

  private grown(doublings: number): number {
    const base = ms(this.settings.realarmSeconds)
    return Math.min(base * 2 ** doublings, Math.max(HOUR, base))
  }

  private realarm(now: number): void {
    for (const by of ['owner', 'relay'] as const) {
      const track = this.tracks[by]
      if (!track.kept || now < track.since + this.distance(track)) continue
      if (this.status === 'active' && this.isCascading()) continue
      track.kept = false
      // The owner's alarm covers a relayed press too, but not the other way round.
      if (by === 'owner') this.tracks.relay.kept = false
      if (this.status === 'acknowledged') track.realarms += 1
      this.joins()
      this.alarms(now, by, this.contacts)
    }
  }

  // Answers

  /** `who` null: the operator. Only the first answer of a round moves a deadline. */
  acknowledge(now: number, who: string | null, promise: Promised | null = null): void {
    if (!this.isOpen) return
    if (who !== null && this.isGone(who)) {
      this.says(now, who, promise)
      return
    }
    const prolonged = this.prolongedBy(who)
    if (who !== null && prolonged > MAX_PROLONGED) {
      this.staysAlone(now, who, promise)
      return
    }
    const isFirst = this.round.state !== 'answered'
    const isNew = who === null ? this.takenAt === null : !this.answered.has(who)
    const isOther = who !== null && promise !== null && (this.unable.has(who) || this.promises.get(who) !== promise)
    const isChanged = isOther && !this.isSecondTap(who, now)
    if (!isFirst && !isNew && !isChanged && this.watch?.asked !== true) return
    this.dropAlarms()
    this.before = who === null && this.watch?.withdrawn === false ? this.watch : null
    this.watched(now, who, promise, prolonged)
    this.lastByBefore = this.lastBy
    this.lastBy = who
    if (isFirst) {
      if (this.round.cause !== 'relay') this.tracks.owner.since = now
      this.tracks.relay.since = now
      this.firstAnswerAt = now
    }
    const isKnown = who !== null && this.responded.get(who) === this.round.n
    if ((isNew && !isKnown) || isFirst) this.post('acknowledged', Math.max(now, this.openingPostAt))
    if (who === null) {
      this.takenAt = now
      this.saidIn.set(null, this.round.n)
    } else this.says(now, who, promise)
    this.status = 'acknowledged'
    this.round = { ...this.round, state: 'answered', nextAt: null }
    if (promise !== null) this.tellsOthers(now, promise !== 'calling')
  }

  private says(now: number, who: string, promise: Promised | null): void {
    this.answered.add(who)
    this.stopped.delete(who)
    this.saidAt.set(who, now)
    this.saidIn.set(who, this.round.n)
    this.unable.delete(who)
    if (promise === null) return
    this.promises.set(who, promise)
    this.responded.set(who, this.round.n)
  }

  /** Only while nobody else has answered the alarm, and since the last other answer. */
  private prolongedBy(who: string | null): number {
    if (who === null || this.lastBy !== who || this.isHelped(who)) return 0
    if (this.round.state !== 'answered') return this.round.isAlone ? MAX_PROLONGED + 1 : 0
    const before = this.watch?.prolonged ?? 0
    return this.watch?.asked === true && !this.watch.withdrawn ? before + 1 : before
  }

  /** The answer is kept and ends what waits for this contact; the others are alarmed. */
  private staysAlone(now: number, who: string, promise: Promised | null): void {
    this.says(now, who, promise)
    if (this.round.state === 'answered') {
      this.watch = { at: now, asked: true, since: now, withdrawn: false, prolonged: 0, isAlone: true }
      return
    }
    this.drops(now, (telling) => telling.channel !== 'webhook' && telling.who === who)
  }

  /** Where nothing of the round is left, its contacts get their full time to answer from here on. */
  private drops(now: number, isDropped: (telling: Telling) => boolean): void {
    const wasCascading = this.isCascading()
    this.pending = this.pending.filter((telling) => !isDropped(telling))
    if (wasCascading && !this.isCascading()) this.round.lastAttemptAt = Math.max(now, this.round.startedAt)
  }

  /** rules.md#telling-others: alarmed, without an answer to this alarm, not told of as much, and not twice before. */
  private tellsOthers(now: number, isComing: boolean): void {
    if (!this.settings.tellOthers) return
    for (const contact of this.contacts) {
      const name = contact.who
      const had = this.news.get(name)
      const isNew = had?.round !== this.round.n || (isComing && !had.isComing)
      if (
        !this.isTold(contact) ||
        contact.removal !== undefined ||
        !this.reached.has(name) ||
        this.hasAnswered(name) ||
        !isNew ||
        (had?.times ?? 0) >= 2
      )
        continue
      this.news.set(name, { times: (had?.times ?? 0) + 1, round: this.round.n, isComing })
      this.pending.push({ at: now, purpose: 'tell_others', channel: 'sms', who: name, nth: 1, tries: 0 })
    }
  }

  private isOfThisAlarm(who: string | null): boolean {
    return this.saidIn.get(who) === this.round.n
  }

  private hasAnswered(name: string): boolean {
    return this.unable.has(name) || (this.answered.has(name) && this.isOfThisAlarm(name))
  }

  private isSecondTap(who: string, now: number): boolean {
    return this.answered.has(who) && now - (this.saidAt.get(who) ?? Number.NEGATIVE_INFINITY) < SECOND
  }

  private isHelped(except: string | null = null): boolean {
    if (this.takenAt !== null && this.isOfThisAlarm(null)) return true
    return [...this.answered].some((who) => who !== except && !this.isGone(who) && this.isOfThisAlarm(who))
  }

  /** The longest promise counts. Changing one without being asked cannot put the question off for ever. */
  private watched(now: number, who: string | null, promise: Promised | null, prolonged: number): void {
    const { watchMinutes } = this.settings
    const { watch } = this
    if (watchMinutes === 0) {
      this.watch = null
      return
    }
    const patience =
      promise === null ? watchMinutes * MINUTE : promise === 'calling' ? OVERDUE : promise * MINUTE + OVERDUE
    const isNewcomer = who === null || (!this.answered.has(who) && this.responded.get(who) !== this.round.n)
    const isFresh = watch === null || watch.asked || isNewcomer
    const since = isFresh ? now : watch.since
    const own = Math.min(now + patience, since + LONGEST_PROMISE)
    const at = watch !== null && !watch.asked && this.isHelped(who) ? Math.max(own, watch.at) : own
    this.watch = { at, asked: false, since, withdrawn: false, prolonged }
  }

  /** A contact can't help; the operator (`who` null) takes an answer back. */
  decline(now: number, who: string | null): void {
    if (!this.isOpen) return
    if (who === null) {
      if (this.takenAt === null || now - this.takenAt > UNDO) return
      this.takenAt = null
      // While an alarm that began since goes on, there is nobody to alarm.
      if (this.round.state === 'answered') this.withdraws(now, who)
      return
    }
    if (this.unable.has(who) || this.isSecondTap(who, now)) return
    const wasHelper = this.answered.delete(who) && !this.isGone(who)
    this.unable.add(who)
    this.promises.delete(who)
    this.responded.set(who, this.round.n)
    if (this.round.state === 'answered') {
      if (wasHelper) this.withdraws(now, who)
      return
    }
    if (this.isGone(who)) return
    const begun = (name: string): boolean =>
      this.pending.every(
        (telling) =>
          !isOfRound(telling) ||
          telling.channel !== 'sms' ||
          telling.who !== name ||
          telling.tries > 0 ||
          telling.nth > 1,
      )
    this.drops(now, (telling) => telling.purpose === 'alarm' && telling.who === who)
    const next = this.pending.filter(
      (telling) => isOfRound(telling) && telling.channel !== 'webhook' && !begun(telling.who),
    )
    const sooner = Math.min(...next.map(({ at }) => at)) - Math.max(now, this.round.startedAt)
    if (sooner > 0) for (const telling of next) telling.at -= sooner
  }

  /**
   * One more alarm for this contact, at most once a minute: what waits comes sooner, the rest is sent beside the round.
   */
  resend(now: number, who: string): void {
    if (!this.isOpen || this.stopped.has(who) || this.isGone(who)) return
    if (now - (this.resentAt.get(who) ?? Number.NEGATIVE_INFINITY) < MINUTE) return
    this.resentAt.set(who, now)
    const at = Math.max(now, this.round.startedAt)
    const call = at + ms(this.settings.ackTimeoutSeconds)
    for (const [channel, due] of [['sms', at], ...(this.settings.voice ? [['voice', call]] : [])] as const) {
      const waiting = this.pending.find((one) => !isNews(one) && one.channel === channel && one.who === who)
      const telling = { purpose: 'alarm', channel: channel as 'sms' | 'voice', who, nth: 1, tries: 0, resent: true }
      if (waiting === undefined) this.pending.push({ ...telling, at: due as number })
      else if (waiting.tries === 0) waiting.at = Math.min(waiting.at, due as number)
    }
  }

  /** Nothing more for this contact but the closing text; the others as if they could not help. */
  stop(now: number, who: string, how: 'stop' | 'stranger'): void {
    const before = this.stopped.get(who)
    if (!this.isOpen || before === how || before === 'stranger' || this.isSecondTap(who, now)) return
    this.decline(now, who)
    this.stopped.set(who, how)
    this.pending = this.pending.filter((telling) => telling.who !== who)
  }

  private isDeclined(): boolean {
    const present = this.contacts.filter(({ isGone }) => !isGone)
    return present.length > 0 && present.every(({ who }) => this.unable.has(who) || this.stopped.has(who))
  }

  /** Without a helper left the others are alarmed: at once, but not twice within the distance of presses. */
  private withdraws(now: number, who: string | null): void {
    this.pending = this.pending.filter((telling) => telling.purpose !== 'check_in' || telling.who !== who)
    if (this.isHelped()) {
      const { before, watch } = this
      if (who === null && before && watch && this.lastBy === null) {
        this.watch = { ...before, at: Math.min(before.at, watch.at) }
        this.lastBy = this.lastByBefore
      }
      return
    }
    this.before = null
    if (this.isDrill) return
    const { cause, startedAt, withdrawals } = this.round
    const wait = this.grown(withdrawals?.of === who ? withdrawals.n - 1 : 0)
    this.withdrew = who
    const at = cause === 'withdrawal' ? Math.max(now, startedAt + wait) : now
    this.watch = { at, asked: true, since: now, withdrawn: true, prolonged: 0 }
    this.lastBy = who
  }

  private watches(now: number): void {
    if (this.watch === null || now < this.watch.at) return
    if (!this.watch.asked) {
      this.watch = { ...this.watch, at: now + ANSWER_WAIT, asked: true }
      for (const { who } of this.contacts.filter(this.isTold)) {
        if (!this.answered.has(who)) continue
        this.pending.push({ at: now, purpose: 'check_in', channel: 'sms', who, nth: 1, tries: 0 })
      }
      return
    }
    this.joins()
    const told = this.contacts.filter(this.isTold)
    const others = told.filter(({ who }) => !this.answered.has(who) && !this.unable.has(who))
    this.alarms(now, this.watch.withdrawn ? 'withdrawal' : 'watch', others.length === 0 ? this.contacts : others)
  }

  // The end

  /**
   * Until someone acknowledges, a position is a sign of life. An answer counts from the first one of the last round.
   */
  private endsAt(): number {
    if (this.isDrill) return this.lastAlertAt + DRILL
    const heard = this.status === 'active' ? this.lastSeenAt : this.firstAnswerAt
    const end = Math.max(this.lastAlertAt, heard) + this.settings.autoResolveHours * HOUR
    return Math.min(end, this.lastAlertAt + MAX_OPEN_MS)
  }

  private lastCallAt(): number {
    return this.endsAt() - Math.min(HOUR, (this.settings.autoResolveHours * HOUR) / 10)
  }

  private ends(now: number): void {
    if (now >= this.endsAt()) {
      this.close(now, 'resolved')
      return
    }
    if (this.isDrill || this.status !== 'active' || now < this.lastCallAt() || this.lastCallFor === this.endsAt())
      return
    this.lastCallFor = this.endsAt()
    for (const { who } of this.contacts.filter(this.isTold)) {
      this.pending.push({ at: now, purpose: 'last_call', channel: 'sms', who, nth: 1, tries: 0 })
    }
  }

  close(now: number, status: 'cancelled' | 'resolved', by: 'user' | 'operator' | 'service' = 'service'): void {
    if (!this.isOpen) return
    this.isEndedByUser = by === 'user'
    this.status = status
    this.pending = []
    if (!this.settings.allClear) return
    for (const who of this.reached) {
      this.pending.push({
        at: now,
        purpose: 'all_clear',
        channel: who === '' ? 'webhook' : 'sms',
        who,
        nth: 1,
        tries: 0,
      })
    }
  }

  /** A press of the user ends a drill: only the webhook hears of the end. */
  overtake(now: number): void {
    const isPosted = this.reached.has('')
    this.reached.clear()
    if (isPosted) this.reached.add('')
    this.close(now, 'resolved')
  }

  // Contacts changed during the alarm

  hasSpoken(of: string): boolean {
    return this.contacts.some(
      ({ who, of: known }) => known === of && (this.stopped.has(who) || this.responded.has(who)),
    )
  }

  /** Until something has been sent to the old number, the new one takes its place. Afterwards both are alarmed. */
  correct(now: number, of: string, phone: string): void {
    if (!this.isOpen) return
    this.tellsOfChange(now)
    const current = [...this.contacts, ...this.joining].findLast((contact) => contact.of === of)
    if (current === undefined) return
    // An answer, too, shows that the number is somebody's who knows.
    const isAnswered = this.answered.has(current.who)
    if (!this.tried.has(current.who) && !isAnswered) {
      current.phone = phone
      current.joined = 'session'
      current.isShown = false
      return
    }
    const who = `${of} ${phone}`
    this.contacts.push({ who, of, phone, joined: 'session' })
    if (!this.reached.has(current.who) && !isAnswered) {
      current.isGone = true
      this.pending = this.pending.filter((telling) => telling.who !== current.who || isNews(telling))
    }
    if (this.round.state === 'answered') return
    this.round = { ...this.round, state: 'running', nextAt: null }
    this.tell(Math.max(now, this.round.startedAt), who)
  }

  add(now: number, of: string, phone: string, by: By): void {
    if (!this.isOpen) return
    if (by === 'session') this.tellsOfChange(now)
    const contact: Contact = { who: of, of, phone, joined: by }
    // Otherwise the next alarm picks it up.
    if (this.status !== 'active') {
      this.joining.push(contact)
      return
    }
    this.contacts.push(contact)
    this.round = { ...this.round, state: 'running', nextAt: null }
    const place = this.contacts.length - 1
    this.tell(Math.max(now, this.round.startedAt + place * ms(this.settings.contactIntervalSeconds)), contact.who)
  }

  /** A removed contact stays until the next alarm. */
  remove(now: number, of: string): void {
    if (!this.isOpen) return
    this.joining.splice(0, this.joining.length, ...this.joining.filter((contact) => contact.of !== of))
    for (const contact of this.contacts.filter((one) => one.of === of)) {
      contact.removal = ++this.removals
    }
    this.tellsOfChange(now)
  }

  /** Once an incident, to the contacts of the opening who have the alarm. */
  private tellsOfChange(now: number): void {
    if (this.isChangeTold) return
    this.isChangeTold = true
    for (const { who, isGone } of this.contacts.filter((contact) => this.sawAlarm(contact))) {
      if (isGone || this.stopped.has(who) || !this.sees(who)) continue
      const at = Math.max(now, this.round.startedAt)
      this.pending.push({ at, purpose: 'contacts_changed', channel: 'sms', who, nth: 1, tries: 0 })
    }
  }

  // Who sees the position. rules.md#position-access

  /** `by` null: an operator. */
  show(who: string, by: string | null): void {
    const giver = this.contacts.find((contact) => contact.who === by)
    const isAllowed = by === null || (giver !== undefined && giver.joined === undefined && this.sees(giver.who))
    if (!this.isOpen || !isAllowed) return
    for (const contact of this.contacts)
      if (contact.who === who && contact.removal === undefined) contact.isShown = true
  }

  private sawAlarm({ who, joined }: Contact): boolean {
    return joined === undefined && (this.reached.has(who) || this.answered.has(who))
  }

  /** Whether this contact sees a position at all. */
  sees(who: string): boolean {
    const contact = this.contacts.find((one) => one.who === who) as Contact
    if (this.isHidden(contact)) return false
    if (contact.removal === undefined) return true
    if (!this.isOpen || this.takenAt !== null) return false
    const others = this.contacts.filter(
      (one) => one !== contact && this.sawAlarm(one) && !this.isHidden(one) && !this.stopped.has(one.who),
    )
    if (contact.joined !== undefined) return others.length === 0
    // The last of those who were removed keeps it.
    return others.every(({ removal }) => removal !== undefined && removal < (contact.removal as number))
  }

  private isHidden({ who, joined, isShown }: Contact): boolean {
    return this.stopped.get(who) === 'stranger' || (joined === 'session' && !isShown && !this.openedAlone)
  }

  /** Which positions those see who see any. rules.md#relays. */
  get positions(): 'all' | 'relayed' | 'none' {
    if (!this.isOthers) return 'all'
    if (this.isEndedByUser) return 'none'
    return this.takenAt === null ? 'relayed' : 'all'
  }

  // What is due

  /** Everything sent at `now`: `purpose channel who → number`. */
  proceed(now: number): Telling[] {
    if (this.isOpen) this.ends(now)
    if (this.isOpen) {
      this.realarm(now)
      this.watches(now)
      this.continues(now)
    }
    this.pending = this.pending.filter(
      ({ purpose, who }) => purpose !== 'tell_others' || (this.isHelped() && !this.hasAnswered(who)),
    )
    const due = this.pending.filter(({ at }) => at <= now)
    this.pending = this.pending.filter(({ at }) => at > now)
    for (const { who, purpose } of due) if (purpose === 'alarm') this.tried.add(who)
    if (due.some((telling) => isOfRound(telling) && telling.tries === 0 && telling.who !== ''))
      this.round.lastAttemptAt = now
    return due
  }

  /** Records a provider's response. */
  record(now: number, telling: Telling, result: Result): void {
    const { channel, who, purpose, tries } = telling
    if (result === 'sent' || result === 'delivered') {
      if (purpose !== 'all_clear') this.reached.add(who)
      // A text that finally got through gives its contact the full time to answer.
      if (isRetriedText(telling)) this.round.lastAttemptAt = now
      return
    }
    if (!this.isOpen || isNews(telling)) return
    const isOver = this.round.state === 'answered'
    // After an answer nothing is tried again.
    if (channel === 'sms' && (result === 'refused' || isOver)) this.callsNow(now, who)
    if (isOver && channel !== 'webhook') return
    if (channel === 'sms' && result === 'retryable') {
      this.pending.push({ ...telling, at: now + nth(SMS_WAITS, tries + 1), tries: tries + 1 })
    }
    if (channel === 'voice' && result === 'retryable' && !telling.resent && telling.nth < this.settings.voiceAttempts) {
      this.pending.push({ ...telling, at: now + ms(this.settings.voiceRetrySeconds), nth: telling.nth + 1 })
    }
  }

  /** A text that will never arrive moves the call forward. */
  private callsNow(now: number, who: string): void {
    const call = this.pending.find((telling) => telling.channel === 'voice' && telling.who === who && telling.nth === 1)
    if (call !== undefined) call.at = Math.min(call.at, now)
  }

  /** The contact who answered last, or withdrew last as the last one. */
  get lastHelper(): string | null {
    return this.lastBy
  }

  /** When the helpers will be asked whether they still help. */
  get questionAt(): number | null {
    return !this.isOpen || this.watch === null || this.watch.asked ? null : this.watch.at
  }

  /** When the dispatcher must look again at the latest. */
  next(): number {
    const moments = this.pending.map(({ at }) => at)
    if (this.isOpen) {
      const { round, watch } = this
      moments.push(this.endsAt())
      if (!this.isDrill && this.status === 'active' && this.lastCallFor !== this.endsAt())
        moments.push(this.lastCallAt())
      if (watch !== null) moments.push(watch.at)
      if (round.state === 'pausing') moments.push(round.nextAt as number)
      if (round.state === 'running' && !this.isCascading()) {
        moments.push(round.lastAttemptAt + (this.isDeclined() ? 0 : ms(this.settings.ackTimeoutSeconds)))
      }
      for (const track of Object.values(this.tracks)) {
        const isFree = this.status === 'acknowledged' || !this.isCascading()
        if (track.kept && isFree) moments.push(track.since + this.distance(track))
      }
    }
    return Math.min(Number.POSITIVE_INFINITY, ...moments)
  }
}
