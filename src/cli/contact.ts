import type { Command } from 'commander'
import { verifyContacts } from '../app/verify-contacts.ts'
import { HOUR } from '../lib/durations.ts'
import type { Answer } from './answer.ts'
import { type Act, type CommandContext, findApplication } from './command-context.ts'

/** `tocsin contact …`: the emergency contacts of a user. */
export function addContactCommands(program: Command, act: Act): void {
  program
    .command('contact')
    .description('the emergency contacts of a user')
    .command('verify <app> <external-id> <contact>')
    .description('ask a contact, by SMS, whether they agree to be alarmed; <contact>: id, phone number or place')
    .action(act(verify))
}

async function verify(
  { store, config, ids, now }: CommandContext,
  appId: string,
  externalUserId: string,
  named: string,
): Promise<Answer> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: 'the application has no such user' }
  const contacts = await store.contacts(user.id)
  const contact = contacts.find(
    ({ id, phone, priority }) => id === named.toLowerCase() || phone === named || String(priority) === named,
  )
  if (contact === undefined) {
    return { refused: 'the user has no such contact; list them with: tocsin user show' }
  }
  const perDay = config.limits.verificationsPerDay
  const asking = verifyContacts({ store, ids, perDay, clock: { now: () => now } })
  const asked = await asking.ask(user.id, contact.id)
  const about = { contactId: contact.id, name: contact.name }
  if (!('refused' in asked)) {
    const text =
      asked.status === 'verified'
        ? `${contact.name} has confirmed already.`
        : `${contact.name} will be asked by SMS within a minute, unless the number was asked today or alarms come first.`
    return { json: { ...about, ...asked }, text }
  }
  if (asked.refused === 'contact_not_found') return { refused: 'the contact has just been removed' }
  const { retryAfterMs } = asked
  const when = retryAfterMs === null ? 'and cannot be asked again' : `try again in ${Math.ceil(retryAfterMs / HOUR)} h`
  return { refused: `the limit for this number, this user or the whole site is reached; ${when}` }
}
