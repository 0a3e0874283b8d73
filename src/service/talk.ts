import type { contactTalk } from '../app/answers/contact-talk.ts'
import { linkFinder } from '../app/answers/tracking-link.ts'
import { deskOf } from '../app/talk/desk.ts'
import type { ownTalk } from '../app/talk/own-talk.ts'
import type { SosBySms } from './sms-sos.ts'
import type { Basis } from './storage.ts'

/** The talk during alarms, loaded with its first use: most sites never need it. */
export function prepareTalk(basis: Basis, isDateBelieved: () => boolean, tellBySms: SosBySms['told']) {
  const find = linkFinder({ ...basis, isDateBelieved })
  const needs = { ...basis, find, feed: basis.talk, deskOf: deskOf(basis), tellBySms }
  let ofContacts: Promise<ReturnType<typeof contactTalk>> | null = null
  let own: Promise<ReturnType<typeof ownTalk>> | null = null
  return {
    contactTalk() {
      ofContacts ??= import('../app/answers/contact-talk.ts').then(({ contactTalk: talkOf }) => talkOf(needs))
      return ofContacts
    },
    ownTalk() {
      own ??= import('../app/talk/own-talk.ts').then(({ ownTalk: talkOf }) => talkOf(needs))
      return own
    },
  }
}
