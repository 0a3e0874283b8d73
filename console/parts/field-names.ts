import { allTexts } from '../state/language.ts'
import { nameFields } from './task.ts'

/** A refused field is said by the name that it has in the forms. */
nameFields(() => {
  const t = allTexts.value
  const { name, phone, email, address, groups, notes, externalId: externalUserId } = t.users
  const { hardwareId, pairingCode, model } = t.trackers
  const { timeZone, mapLink, origins: corsOrigins, url, format, webhookSecret: secret } = t.application
  const { prefixes: allowedPrefixes, testTo: to } = t.settings
  return {
    ...{ name, phone, email, address, groups, notes, externalUserId, hardwareId, pairingCode, model },
    ...{ language: t.language, timeZone, mapLink, corsOrigins, url, format, secret, allowedPrefixes, to },
    ...{ login: t.system.login, role: t.system.role, text: t.settings.whichText, smsNumber: t.smsSos.number },
    'fallbackContact.name': t.settings.deskName,
    'fallbackContact.phone': t.settings.deskPhone,
  }
})
