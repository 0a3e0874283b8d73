import { styleText } from 'node:util'
import type { IncidentEvent } from '../core/incident/event.ts'
import { SECOND } from '../lib/durations.ts'
import type { OutboxMessage } from '../ports/store.ts'
import type { Listeners } from '../service/listeners.ts'

type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'bold'

const colours: Readonly<Record<string, Colour>> = {
  tracker: 'red',
  event: 'cyan',
  SMS: 'yellow',
  call: 'yellow',
  link: 'bold',
  Ben: 'green',
  drill: 'red',
  report: 'green',
}

const NAME_WIDTH = 8

/** Base of the links in messages. Messages leave out a loopback address, so the demo answers this one itself. */
export const DEMO_URL = 'https://sos.example.org'

/**
 * Writes events to the terminal, one line per fact, with the seconds since the start. Uses colours only if the terminal
 * has them.
 */
export class StoryTeller {
  readonly #begunAt = performance.now()
  readonly #links = new Set<string>()
  #address = ''

  begins(
    { mqtt, http }: Listeners,
    contacts: readonly string[],
    settings: Readonly<Record<string, number>>,
    story = 'one SOS from the press to the end',
  ): void {
    this.#address = http ?? ''
    const rules = `${settings.graceSeconds} s grace, next contact after ${settings.contactIntervalSeconds} s, call after ${settings.ackTimeoutSeconds} s`
    this.#line(styleText('bold', `Tocsin: ${story}`))
    this.#line(`  service   ${mqtt}   ${http}`)
    this.#line(`  contacts  ${contacts.join(', then ')}   (${rules})`)
    this.#line(styleText('dim', '  Open one of the links below and press the button, or just watch. Stop with Ctrl-C.'))
    this.#line('')
  }

  /** Prints that `who` did `what`. */
  says(who: string, what: string): void {
    const seconds = ((performance.now() - this.#begunAt) / SECOND).toFixed(1).padStart(5)
    const name = who.padEnd(NAME_WIDTH)
    this.#line(`${styleText('dim', `${seconds} s`)}  ${styleText(colours[who] ?? 'bold', name)} ${what}`)
  }

  /** Prints what the user's app received on its events topic. */
  hears(message: IncidentEvent['message']): void {
    const version = message.snapshotVersion === undefined ? '' : `  v${message.snapshotVersion}`
    this.says('event', `${message.type}  (${message.status})${version}`)
    for (const item of message.actuators?.items ?? []) {
      for (const { name, channels, acknowledgedAt } of item.contacts ?? []) {
        const states = channels.map(({ channel, status }) => `${channel} ${status}`).join('   ')
        const answered = acknowledgedAt === undefined ? '' : styleText('green', '   acknowledged')
        this.#line(`${' '.repeat(11 + NAME_WIDTH - 1)}${name.padEnd(6)} ${states}${answered}`)
      }
    }
  }

  /** Prints messages that went into the outbox instead of to a provider. */
  sends({ channel, text: sent }: OutboxMessage, to: string): void {
    const text = sent.replaceAll(DEMO_URL, this.#address)
    this.says(channel === 'sms' ? 'SMS' : 'call', `to ${to}: ${styleText('dim', text)}`)
    const link = this.linkIn(text)
    if (link === null || this.#links.has(link)) return
    this.#links.add(link)
    this.says('link', link)
  }

  /** The tracking link in a message, as the demo answers it. */
  linkIn(text: string): string | null {
    return /(?<!\S)https?:\/\/\S+\/t\/[\w-]+/.exec(text.replaceAll(DEMO_URL, this.#address))?.[0] ?? null
  }

  ends(): void {
    this.#line('')
    this.#line('That was the whole story. Nothing left this machine, and nothing was kept.')
  }

  #line(text: string): void {
    process.stdout.write(`${text}\n`)
  }
}
