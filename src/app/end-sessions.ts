import type { Session } from '../core/account/session.ts'
import type { AdmissionStore } from '../ports/store.ts'

/** The live connections of a broker. */
export type LiveSessions = {
  /** Settles when everybody whose credentials are being looked at now is among `sessions`, or refused. */
  decided(): Promise<void>
  sessions(): Iterable<Session>
  closeWhere(predicate: (session: Session) => boolean): number
}

/**
 * Closes the live connections of an application that would no longer be admitted as they were: it or the user was
 * disabled, the secret that let them in was retired (rules.md#sessions), or its legacy topics were switched on or off
 * (rules.md#sessions). Answers how many.
 */
export const endSessions =
  ({ store, live }: { readonly store: AdmissionStore; readonly live: LiveSessions }) =>
  async (appId: string): Promise<number> => {
    // Who was found admissible just before the change would otherwise come in just after it, unseen.
    await live.decided()
    const legacy = (await store.admittingApplication(appId))?.application.legacy
    const ended = new Set<Session>()
    for (const session of live.sessions()) {
      if (session.appId !== appId) continue
      if (session.legacy !== legacy || !(await store.stillAdmits(session))) ended.add(session)
    }
    return ended.size === 0 ? 0 : live.closeWhere((session) => ended.has(session))
  }
