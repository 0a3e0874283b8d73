import type { Command } from 'commander'
import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { contactChecks } from '../app/operator/contact-checks.ts'
import { addContactBy } from '../app/operator/contacts.ts'
import { type Contact, contactView } from '../core/account/contact.ts'
import { languageField } from '../core/account/contact-schema.ts'
import { isExternalUserId } from '../core/account/mqtt-username.ts'
import { nameField, phoneField } from '../core/account/profile-schema.ts'
import { HOUR } from '../lib/durations.ts'
import type { Answer } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { personNamed } from './named.ts'
import { parsed } from './parsed.ts'

/** `tocsin contact …`: the emergency contacts of a user. */
export function addContactCommands(program: Command, act: Act): void {
  const contact = program.command('contact').description('the emergency contacts of a user')

  contact
    .command('add <app> <external-id>')
    .description('add an emergency contact at the end; a user who does not exist yet is created')
    .requiredOption('--name <name>', 'what the user calls them', parsed(nameField))
    .requiredOption('--phone <number>', 'E.164, such as +4366012345678', parsed(phoneField))
    .option('--language <tag>', "BCP 47 (default: the application's)", parsed(languageField))
    .action(act(add))

  contact
    .command('verify <app> <external-id> <contact>')
    .description('ask a contact, by SMS, whether they agree to be alarmed; <contact>: name, phone number, place or id')
    .action(act(verify))
}

async function add(
  context: CommandContext,
  appId: string,
  externalUserId: string,
  fields: { readonly name: string; readonly phone: string; readonly language?: string },
): Promise<Answer> {
  const { store, config, ids } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const { application } = found
  if (!isExternalUserId(externalUserId)) {
    return { refused: 'an external user id must have 1 to 128 characters and no control characters' }
  }
  const { contactsPerUser, verificationsPerDay: perDay } = config.limits
  const user = { appId: application.id, externalUserId }
  const added = await addContactBy(
    { store, ids, contactsPerUser, asking: { perDay }, isPossible: isPossibleNumber },
    user,
    fields,
    byCommand(context),
  )
  if (!('refused' in added)) {
    const { user: owner, contact, warnings } = added
    const view = contactView(contact)
    return {
      json: { userId: owner.id, externalUserId, contact: view, ...(warnings.length > 0 && { warnings }) },
      text: `${view.name} (${view.phone}) is contact ${view.priority} of ${externalUserId}.`,
      warnings: warnings.map(({ message }) => `${view.phone} ${message}`),
    }
  }
  switch (added.refused) {
    case 'contact_limit':
      return { refused: `${externalUserId} has ${contactsPerUser} contacts already (limits.contactsPerUser)` }
    case 'phone_not_allowed':
      return { refused: `the application may only send to ${application.allowedPrefixes.join(', ')}` }
    default:
      return added.refused satisfies never
  }
}

/** By id, phone number or place; else by name. What looks like a place or a number is not looked for in names. */
function contactOf(contacts: readonly Contact[], named: string): Contact | { readonly refused: string } {
  const known = contacts.find(
    ({ id, phone, priority }) => id === named.toLowerCase() || phone === named || String(priority) === named,
  )
  if (known !== undefined) return known
  if (/^\+?\d*$/.test(named.trim())) {
    return { refused: 'the user has no such contact; list them with: tocsin user show' }
  }
  return personNamed(contacts, named, ({ name, priority, phone }) => `${name} (place ${priority}, ${phone})`)
}

async function verify(context: CommandContext, appId: string, externalUserId: string, named: string): Promise<Answer> {
  const { store, config, ids } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: 'the application has no such user' }
  const contact = contactOf(await store.contacts(user.id), named)
  if ('refused' in contact) return contact
  const perDay = config.limits.verificationsPerDay
  const asked = await contactChecks({ store, ids, perDay })(user, contact.id, byCommand(context))
  const about = { contactId: contact.id, name: contact.name }
  if (!('refused' in asked)) {
    const text =
      asked.status === 'verified'
        ? `${contact.name} has confirmed already.`
        : `${contact.name} will be asked by SMS within a minute, unless the number was already asked today. Alarms go first.`
    return { json: { ...about, ...asked }, text }
  }
  if (asked.refused === 'contact_not_found') return { refused: 'the contact has just been removed' }
  const { retryAfterMs } = asked
  const when = retryAfterMs === null ? 'and cannot be asked again' : `try again in ${Math.ceil(retryAfterMs / HOUR)} h`
  return { refused: `the limit for this number, this user or the whole site is reached; ${when}` }
}
