import type { Session } from '../core/account/session.ts'
import type { AdmissionStore } from '../ports/store.ts'

/** The live connections of a broker. */
export type LiveSessions = {
  /** Settles when every login that is being checked now has been refused or is among `sessions`. */
  decided(): Promise<void>
  sessions(): Iterable<Session>
  closeWhere(predicate: (session: Session) => boolean): number
}

/**
 * Closes the live connections of an application that would not be admitted again as they are: because it or the user
 * was disabled, their secret was retired (rules.md#sessions), or the application's legacy topics were switched
 * (rules.md#sessions). Resolves with the number closed.
 */
export const endSessions =
  ({ store, live }: { readonly store: AdmissionStore; readonly live: LiveSessions }) =>
  async (appId: string): Promise<number> => {
    // A login that was found admissible just before the change would otherwise enter just after it, unnoticed.
    await live.decided()
    const legacy = (await store.admittingApplication(appId))?.application.legacy
    const ended = new Set<Session>()
    for (const session of live.sessions()) {
      if (session.appId !== appId) continue
      if (session.legacy !== legacy || !(await store.stillAdmits(session))) ended.add(session)
    }
    return ended.size === 0 ? 0 : live.closeWhere((session) => ended.has(session))
  }
