import type { AlarmState, Helper } from '../../sdk/src/index.ts'
import type { Texts } from '../texts/en.ts'

/** `bad`: nobody is told yet. `going`: it is on its way. `good`: somebody helps. `over`: it has ended. */
type Tone = 'bad' | 'going' | 'good' | 'over'

/** The words on the screen of an alarm: the headline large, then one line per fact. */
export type AlarmWords = { readonly tone: Tone; readonly headline: string; readonly lines: readonly string[] }

type Given = { readonly t: Texts['alarm']; readonly time: (iso: string) => string }

/** The truth about an alarm. `On the server` is said after the service's answer, and not before. */
export function alarmWords(state: AlarmState, given: Given): AlarmWords {
  const { t, time } = given
  const words = (tone: Tone, headline: string, ...lines: readonly (string | null)[]): AlarmWords => ({
    tone,
    headline,
    lines: lines.filter((line) => line !== null),
  })
  if (state.step === 'over') return endWords(state, t, words)
  if (state.ending !== null) return words('going', t.ending, troubleOf(state, t))
  if (state.step === 'kept') return words('bad', t.notYet, troubleOf(state, t), state.kept ? null : t.stayOpen)
  const again = state.pressedAgain ? t.pressedAgain : null
  if (state.putOff !== null) return words('bad', t.putOff(time(state.putOff)), again)
  const onServer = state.onServerAt === null ? t.calling : t.onServer(time(state.onServerAt))
  const told = [...state.helpers.map((helper) => helperLine(helper, t)), ...contactLines(state, t)]
  if (state.helped) {
    const [first, ...others] = state.helpers.toSorted((a, b) => weight[a.answer] - weight[b.answer])
    const rest = [...others.map((helper) => helperLine(helper, t)), ...contactLines(state, t)]
    return words('good', helperLine(first!, t), again, onServer, ...rest)
  }
  const nobody = state.step === 'coming' ? t.nobodyNow : null
  return words('going', onServer, again, nobody, state.step === 'onServer' ? t.soon : null, ...told)
}

function endWords(
  { over, contacts, onServerAt }: AlarmState,
  t: Texts['alarm'],
  words: (tone: Tone, headline: string, ...lines: readonly (string | null)[]) => AlarmWords,
): AlarmWords {
  switch (over) {
    case 'refused':
      return words('bad', t.refused)
    case 'cancelled':
    case 'ended':
      // Nobody has heard of a press that never arrived, or was taken back before anything left.
      if (onServerAt === null || (over === 'cancelled' && !contacts.some(isTold))) return words('over', t.takenBack)
      return words('over', over === 'cancelled' ? t.takenBackTold : t.isOver)
    case 'resolved':
    case null:
      return words('over', t.isOver)
    default:
      return over satisfies never
  }
}

/** Helpers who come stand before those who call. */
const weight: Readonly<Record<Helper['answer'], number>> = { coming: 0, calling: 1, answered: 2, unable: 3 }

function helperLine({ name, kind, answer, eta }: Helper, t: Texts['alarm']): string {
  if (kind === 'operator') return t.deskHas(name ?? t.desk)
  const who = name ?? t.desk
  switch (answer) {
    case 'coming':
      return eta === null ? t.coming(who) : t.comingIn(who, eta)
    case 'calling':
      return t.callsYou(who)
    case 'answered':
      return t.answered(who)
    case 'unable':
      return t.unable(who)
    default:
      return answer satisfies never
  }
}

type Contact = AlarmState['contacts'][number]
const hasLeft = (contact: Contact, channel: string): boolean =>
  contact.channels.some((one) => one.channel === channel && (one.status === 'sent' || one.status === 'delivered'))
const isTold = (contact: Contact): boolean => contact.channels.some(({ channel }) => hasLeft(contact, channel))

/** Of each contact who has not answered: a call says more than an SMS. */
function contactLines({ contacts, helpers }: AlarmState, t: Texts['alarm']): readonly string[] {
  const answered = new Set(helpers.map(({ contactId }) => contactId))
  const waiting = contacts.find((contact) => contact.status === 'scheduled' && !isTold(contact))
  return contacts.flatMap((contact): readonly string[] => {
    const { contactId, name, status } = contact
    if (answered.has(contactId)) return []
    if (contact.channels.some((one) => one.channel === 'voice' && one.status === 'delivered')) return [t.called(name)]
    if (hasLeft(contact, 'sms')) return [t.sms(name)]
    if (hasLeft(contact, 'voice')) return [t.called(name)]
    if (status === 'failed') return [t.failed(name)]
    return contact === waiting ? [t.waiting(name)] : []
  })
}

function troubleOf({ trouble }: AlarmState, t: Texts['alarm']): string | null {
  switch (trouble) {
    case 'no_network':
      return t.noNetwork
    case 'unauthorized':
      return t.unauthorized
    case 'busy':
      return t.busy
    case 'not_the_service':
      return t.notService
    case null:
      return null
    default:
      return trouble satisfies never
  }
}
