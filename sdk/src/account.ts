import type { Answer } from './send/answer.ts'
import { type Http, TocsinError } from './send/http.ts'
import type {
  Card,
  CardFields,
  Contact,
  ContactFields,
  Device,
  Drill,
  NumberWarning,
  PhoneProof,
  Profile,
  Readiness,
  Timer,
  TimerReminder,
  Verification,
} from './wire/account.ts'
import type { Position } from './wire/alert.ts'

const segment = encodeURIComponent

type HearReminders = (listener: (reminder: TimerReminder) => void) => () => void

/** The user's data besides alarms. Each call rejects with a `TocsinError`. */
export class Account {
  readonly #http: Http
  readonly #hearReminders: HearReminders

  constructor(http: Http, hearReminders: HearReminders) {
    this.#http = http
    this.#hearReminders = hearReminders
  }

  async #asks<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    const answer: Answer | null = await this.#http.ask(method, `/v1/sdk${path}`, body, undefined, headers)
    if (answer === null || answer.status < 200 || answer.status > 299) throw new TocsinError(answer)
    return answer.body as T
  }

  readonly profile = {
    read: () => this.#asks<Profile>('GET', '/me'),
    /** Only the fields that are given change; null clears one. */
    update: (fields: Partial<Pick<Profile, 'name' | 'email' | 'phone' | 'address'>>) =>
      this.#asks<Profile & { readonly warnings?: readonly NumberWarning[] }>('PUT', '/me', fields),
  }

  /** The proof of the profile's number, for SOS by SMS. */
  readonly phone = {
    /** Sends six digits to the number. */
    sendCode: () => this.#asks<{ readonly expiresAt: string }>('POST', '/me/phone/code'),
    prove: (code: string) => this.#asks<PhoneProof>('POST', '/me/phone/proof', { code }),
    /** Replaces the four digits of texts, by new ones if none are given. */
    changeSmsCode: (smsCode?: string) => this.#asks<PhoneProof>('POST', '/me/sms-code', { smsCode }),
  }

  readonly contacts = {
    list: () => this.#asks<readonly Contact[]>('GET', '/contacts'),
    add: (contact: ContactFields & Pick<Contact, 'name' | 'phone'>) =>
      this.#asks<Contact & { readonly warnings?: readonly NumberWarning[] }>('POST', '/contacts', contact),
    update: (id: string, fields: ContactFields) =>
      this.#asks<Contact & { readonly warnings?: readonly NumberWarning[] }>('PUT', `/contacts/${segment(id)}`, fields),
    remove: (id: string) => this.#asks<null>('DELETE', `/contacts/${segment(id)}`),
    /** Every id exactly once. */
    reorder: (contactIds: readonly string[]) => this.#asks<null>('PUT', '/contacts/reorder', { contactIds }),
    /** Asks the contact to confirm, by a message with a link. */
    verify: (id: string) => this.#asks<Verification>('POST', `/contacts/${segment(id)}/verify`),
  }

  /** Operators see it in a real alarm; contacts whom the person has chosen do once they are coming. */
  readonly card = {
    read: () => this.#asks<Card>('GET', '/me/card'),
    /** Only the fields that are given change. */
    update: (fields: CardFields) => this.#asks<Card>('PUT', '/me/card', fields),
    remove: () => this.#asks<null>('DELETE', '/me/card'),
  }

  readonly devices = {
    list: () => this.#asks<readonly Device[]>('GET', '/devices'),
    pair: (device: {
      readonly hardwareId: string
      readonly pairingCode: string
      readonly firmwareVersion?: string
      readonly hardwareModel?: string
    }) => this.#asks<Device>('POST', '/devices', device),
    remove: (id: string) => this.#asks<null>('DELETE', `/devices/${segment(id)}`),
  }

  /** To practise: nobody is told, whatever the screens of a drill say. Rejects with 409 while an alarm is open. */
  readonly drills = {
    start: () => this.#asks<Drill>('POST', '/drills'),
    report: (id: string) => this.#asks<Drill>('GET', `/drills/${segment(id)}`),
    end: (id: string) => this.#asks<Drill>('DELETE', `/drills/${segment(id)}`),
  }

  /** "Unless I am back by then, call for help." */
  readonly timers = {
    list: () => this.#asks<readonly Timer[]>('GET', '/timers'),
    set: (timer: { readonly dueAt: string; readonly note?: string; readonly position?: Position }) =>
      this.#asks<Timer>('POST', '/timers', timer),
    extend: (id: string, dueAt: string) => this.#asks<Timer>('PATCH', `/timers/${segment(id)}`, { dueAt }),
    /** "I'm back." Rejects with status 409 if it has raised an SOS: show that, with its button to cancel. */
    end: (id: string) => this.#asks<Timer>('DELETE', `/timers/${segment(id)}`),
    /**
     * Calls `listener` 15 min before a timer is due, as long as this app is connected. Missed reminders are not
     * repeated, so look at `list()` too. Returns a function that stops it.
     */
    watch: (listener: (reminder: TimerReminder) => void): (() => void) => this.#hearReminders(listener),
  }

  /** Whether an alarm would reach somebody, in the language asked for. */
  readiness(language?: string): Promise<Readiness> {
    return this.#asks(
      'GET',
      '/readiness',
      undefined,
      language === undefined ? undefined : { 'accept-language': language },
    )
  }

  async feedback(feedback: {
    readonly message: string
    readonly category?: string
    /** 1 to 5. */
    readonly rating?: number
  }): Promise<{ readonly id: string; readonly createdAt: string }> {
    const { token } = await this.#asks<{ readonly token: string }>('POST', '/token')
    return this.#asks('POST', '/feedback', feedback, { 'x-user-token': token })
  }
}
