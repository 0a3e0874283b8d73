import type { Application, ApplicationUpdate } from '../../core/account/application.ts'
import { newApplication } from '../../core/account/new-application.ts'
import type { AuditEntry } from '../../core/operator/audit.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'
import { correctFallback, type FallbackNeeds } from './correct-fallback.ts'

type ApplicationNeeds = { readonly store: AuditStore; readonly ids: Ids }
type NoApplication = { readonly refused: 'application_not_found' }

type Given = Pick<Application, 'name' | 'language' | 'legacy' | 'allowedPrefixes' | 'timeZone' | 'verifyContacts'>

/** Adds an application that notifies emergency contacts, with its first secret, which is shown once. */
export async function createApplication(
  { store, ids }: ApplicationNeeds,
  given: Given,
  by: By,
): Promise<{ readonly application: Application; readonly secret: string }> {
  const [id, secret] = [ids.uuid(), ids.secret()]
  const application = newApplication({ id, createdAt: by.now, ...given })
  await store.audited(rowBy(by, { action: 'application.create', appId: id })).createApplication(application, secret)
  return { application, secret }
}

const changed = (by: By, appId: string, details: AuditEntry['details']): AuditEntry =>
  rowBy(by, { action: 'application.change', appId, details })

type UpdateNeeds = Pick<ApplicationNeeds, 'store'> &
  FallbackNeeds & {
    /** Ends connections that are no longer admitted. Absent: the service learns of the change by a notice. */
    readonly endSessions?: (appId: string) => void
  }

/**
 * Updates an application. The audit row names the given fields, and the new value of those that let people in, end
 * their sessions or say where their texts go. A fallback contact also applies to open incidents; if that can no longer
 * be stored, this rejects, and the whole update can be repeated. Sessions do not wait for that: those of a disabled
 * application end at once.
 */
export async function updateApplication(
  { store, announce, endSessions }: UpdateNeeds,
  appId: string,
  update: ApplicationUpdate,
  by: By,
): Promise<Application | NoApplication> {
  const { disabled, fallbackContact, language, smsSos, smsNumber, webApp } = update
  const details = {
    fields: Object.keys(update),
    ...(disabled !== undefined && { disabled }),
    ...(smsSos !== undefined && { smsSos }),
    // The site's own number, not a person's.
    ...(smsNumber !== undefined && { smsNumber }),
    ...(webApp != null && { webApp: webApp.isOn, country: webApp.country }),
  }
  const updated = await store.audited(changed(by, appId, details)).updateApplication(appId, update)
  if ('refused' in updated) return updated
  endSessions?.(appId)
  if (fallbackContact === undefined && language === undefined) return updated
  await correctFallback({ store, ...(announce && { announce }) }, updated, by.now)
  return updated
}

/** Adds a second valid secret, which is shown once. access.md#secrets. */
export async function addSecret(
  { store, ids }: ApplicationNeeds,
  appId: string,
  by: By,
): Promise<{ readonly secret: string } | { readonly refused: 'application_not_found' | 'two_secrets_already' }> {
  const secret = ids.secret()
  const row = rowBy(by, { action: 'application.secret', appId, details: { change: 'added' } })
  const added = await store.audited(row).addSecret(appId, secret, by.now)
  return 'refused' in added ? added : { secret }
}

/** Retires the older of two secrets. */
export function retireSecret(
  { store }: Pick<ApplicationNeeds, 'store'>,
  appId: string,
  by: By,
): Promise<{ readonly retired: true } | { readonly refused: 'application_not_found' | 'only_one_secret' }> {
  const row = rowBy(by, { action: 'application.secret', appId, details: { change: 'retired' } })
  return store.audited(row).retireSecret(appId)
}
