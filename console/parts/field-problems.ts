import type { ApiError } from '../api/client.ts'
import { fieldProblemText } from '../logic/field-problem.ts'
import { allTexts } from '../state/language.ts'
import { fieldsOf, sayDetails, type Task } from './task.ts'

/** Fields of the API by the names that they have in the forms. */
export function fieldNames(): Readonly<Record<string, string>> {
  const t = allTexts.value
  const { name, phone, email, address, groups, notes, externalId: externalUserId } = t.users
  const { hardwareId, pairingCode, model } = t.trackers
  const { timeZone, mapLink, origins: corsOrigins, url, format, webhookSecret: secret } = t.application
  const { prefixes: allowedPrefixes, testTo: to } = t.settings
  return {
    ...{ name, phone, email, address, groups, notes, externalUserId, hardwareId, pairingCode, model },
    ...{ language: t.language, timeZone, mapLink, corsOrigins, url, format, secret, allowedPrefixes, to },
    ...{ login: t.system.login, role: t.system.role, text: t.settings.whichText, smsNumber: t.smsSos.number },
    ...{ legacy: t.application.legacy, verifyContacts: t.application.verifyContacts },
    ...{ fallbackContact: t.settings.deskName, 'fallbackContact.name': t.settings.deskName },
    'fallbackContact.phone': t.settings.deskPhone,
  }
}

/** A refused field by the name that the reader sees, as far as one is known, and why. */
function fieldSentence({ field, message }: { readonly field: string; readonly message: string }): string {
  const t = allTexts.value
  const names = fieldNames()
  const name = names[field] ?? names[field.replace(/[[.].*$/, '')] ?? field
  return t.labelled(name, fieldProblemText(message, t.refused))
}

/** The first lines of a file that are wrong. */
const rejectedOf = ({ body: { rejected } }: ApiError): readonly string[] =>
  (Array.isArray(rejected) ? rejected : []).slice(0, 5).map(({ line, field, message }) => {
    const t = allTexts.value
    const why = field === null ? fieldProblemText(message, t.refused) : fieldSentence({ field, message })
    return t.labelled(String(line), why)
  })

/** Refusals whose sentence does not say what is wrong with which field. */
const OF_FIELDS = ['', 'invalid_target']

sayDetails((error) => {
  if (error.reason === 'invalid_text')
    return [fieldProblemText(error.message.replace(/^The text |\.$/g, ''), allTexts.value.refused)]
  return [...(OF_FIELDS.includes(error.reason) ? fieldsOf(error).map(fieldSentence) : []), ...rejectedOf(error)]
})

/** Why the service has refused the value of a field; undefined: it has not. */
export function fieldProblem({ reasons }: Pick<Task, 'reasons'>, name: string): string | undefined {
  const found = reasons.find(({ field }) => field === name || field.startsWith(`${name}.`))
  return found === undefined ? undefined : fieldProblemText(found.message, allTexts.value.refused)
}
