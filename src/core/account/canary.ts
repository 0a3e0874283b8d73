import type { Application } from './application.ts'
import { fallbackContactId } from './fallback-contact.ts'
import { newApplication } from './new-application.ts'

/**
 * The canary's application: the service presses a synthetic SOS in it to check that alarms get through. Every site and
 * store recognises it by this id, and no list, figure or export includes it. keeping.md#canary.
 */
export const CANARY_APP_ID = '00000000-0000-8000-8000-63616e617279'

/** Whether this is the canary's application. */
export const isCanary = (appId: string): boolean => appId === CANARY_APP_ID

/** +999 is assigned to nobody, in case a message is ever sent by mistake. */
const CONTACT = { name: 'Canary', phone: '+99900000000' }
const LANGUAGE = 'en'

/** The contact of every canary. No other contact has its id. */
export const CANARY_CONTACT_ID: string = fallbackContactId(CANARY_APP_ID)

/**
 * Disabled, so that no outside login is admitted even if the store holds a secret: only the process that runs the
 * canary admits it. It sends one SMS at once and nothing else. An incident left open by a crash stays silent until the
 * next run, or until it ends by itself within the hour.
 */
export const canaryApplication = (now: number): Application =>
  newApplication({
    id: CANARY_APP_ID,
    name: 'Canary',
    language: LANGUAGE,
    disabled: true,
    settings: {
      graceSeconds: 0,
      ackTimeoutSeconds: 24 * 3600,
      voice: false,
      rounds: 1,
      allClear: false,
      tellOthers: false,
      autoResolveHours: 1,
      persistHours: 0,
      watchMinutes: 0,
    },
    timeZone: 'UTC',
    fallbackContact: CONTACT,
    createdAt: now,
  })
