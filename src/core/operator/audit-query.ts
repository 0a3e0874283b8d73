import { type AuditRow, auditActions } from './audit.ts'

/** A search of the audit log. Null: any. Moments are epoch ms; `to` is exclusive. */
export type AuditFilter = {
  /** The id of an operator or a token, or `command` or `stranger`. */
  readonly actor: string | null
  /** Any of these: an action, or a prefix of several, such as `incident.`. */
  readonly actions: readonly string[] | null
  readonly appId: string | null
  readonly from: number | null
  readonly to: number | null
  /** Part of a name, an address, a subject or a detail, in any case. */
  readonly text: string | null
}

const known: ReadonlySet<string> = new Set(auditActions)

/** The name of an action is not the prefix of another one: `incident.take`, `incident.take_over`. */
const covers = (wanted: string, action: string): boolean =>
  known.has(wanted) ? action === wanted : action.startsWith(wanted)

/** Whether the filter matches a row. */
export function isLookedFor(
  { at, actor, address, action, appId, subject, details }: AuditRow,
  wanted: AuditFilter,
): boolean {
  if (wanted.actor !== null && wanted.actor !== actor.id && wanted.actor !== actor.kind) return false
  if (wanted.actions !== null && !wanted.actions.some((one) => covers(one, action))) return false
  if (wanted.appId !== null && wanted.appId !== appId) return false
  if ((wanted.from !== null && at < wanted.from) || (wanted.to !== null && at >= wanted.to)) return false
  const text = wanted.text?.toLowerCase() ?? ''
  return (
    text === '' ||
    [actor.name, address, action, subject, ...Object.values(details).flat()].some((part) =>
      String(part ?? '')
        .toLowerCase()
        .includes(text),
    )
  )
}
