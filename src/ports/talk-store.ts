import type { Say, TalkRefusal } from '../core/incident/decide-talk.ts'
import type { Incident } from '../core/incident/incident.ts'
import type { TalkLine } from '../core/incident/talk.ts'
import type { AuditEntry } from '../core/operator/audit.ts'

/** The incident that a line is for. `openOf`: the user's open one; with `incidentId`, only that one of the user. */
export type TalkKey = { readonly openOf: string; readonly incidentId: string | null } | { readonly incidentId: string }

/** `isNew`: false if the sender had stored it already. */
export type SaidLine = { readonly line: TalkLine; readonly incident: Incident; readonly isNew: boolean }

/** An open incident, whose person may be reading or writing. */
export type OpenTalk = { readonly appId: string; readonly userId: string; readonly incidentId: string }

/** Messages between person, contacts and operators during an alarm. Kept as long as the incident. rules.md#talk. */
export type TalkStore = {
  /**
   * Stores a line, unless `decideSay` refuses it, and leaves a notice. `audit`: the row of an operator's line, stored
   * with it.
   */
  addTalkLine(key: TalkKey, say: Say, audit?: AuditEntry | null): Promise<SaidLine | TalkRefusal>
  /** The open incidents, but for drills, last opened first: at most `max`. */
  openTalks(max: number): Promise<readonly OpenTalk[]>
  /** The lines behind `after`, oldest first: the newest `max`. */
  talkLines(incidentId: string, after: number, max: number): Promise<readonly TalkLine[]>
}
