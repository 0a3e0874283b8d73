import { linkFinder } from '../app/answers/tracking-link.ts'
import { deskOf } from '../app/talk/desk.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { SosBySms } from './sms-sos.ts'
import type { Basis } from './storage.ts'

/** The talk during alarms, loaded with its first use: most sites never need it. */
export function prepareTalk(basis: Basis, isDateBelieved: () => boolean, tellBySms: SosBySms['told']) {
  const find = linkFinder({ ...basis, isDateBelieved })
  const needs = { ...basis, find, feed: basis.talk, deskOf: deskOf(basis), tellBySms }
  return {
    contactTalk: onDemand(async () => (await import('../app/answers/contact-talk.ts')).contactTalk(needs)),
    ownTalk: onDemand(async () => (await import('../app/talk/own-talk.ts')).ownTalk(needs)),
  }
}
