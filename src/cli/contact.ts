import type { Command } from 'commander'
import { z } from 'zod'
import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { contactChecks } from '../app/operator/contact-checks.ts'
import {
  addContactBy,
  type ContactNeeds,
  orderContactsOf,
  removeContactOf,
  updateContactOf,
} from '../app/operator/contacts.ts'
import { wholeNumber } from '../config/fields.ts'
import { type Contact, contactView, insertedAt } from '../core/account/contact.ts'
import { type ContactUpdate, languageField } from '../core/account/contact-schema.ts'
import { isExternalUserId } from '../core/account/mqtt-username.ts'
import type { User } from '../core/account/profile.ts'
import { emailField, nameField, phoneField } from '../core/account/profile-schema.ts'
import { HOUR } from '../lib/durations.ts'
import { type Answer, table } from './answer.ts'
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
    .option('--email <address>', 'gets a mail with each alarm', parsed(emailField))
    .action(act(add))

  contact
    .command('edit <app> <external-id> <contact>')
    .description('correct a contact, in an open alarm as well; <contact>: name, phone number, place or id')
    .option('--name <name>', 'what the user calls them', parsed(nameField))
    .option('--phone <number>', 'E.164, such as +4366012345678', parsed(phoneField))
    .option('--email <address|none>', 'gets a mail with each alarm', parsed(emailField.or(z.literal('none'))))
    .option('--language <tag>', 'BCP 47', parsed(languageField))
    .action(act(edit))

  contact
    .command('remove <app> <external-id> <contact>')
    .description('remove a contact; in an open alarm they see the position no longer')
    .action(act(remove))

  contact
    .command('move <app> <external-id> <contact> <place>')
    .description('alarm a contact at another place: 1 is the first')
    .action(act(move))

  contact
    .command('verify <app> <external-id> <contact>')
    .description('ask a contact, by SMS, whether they agree to be alarmed; <contact>: name, phone number, place or id')
    .action(act(verify))
}

async function add(
  context: CommandContext,
  appId: string,
  externalUserId: string,
  fields: { readonly name: string; readonly phone: string; readonly language?: string; readonly email?: string },
): Promise<Answer> {
  const { store, config } = context
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const { application } = found
  if (!isExternalUserId(externalUserId)) {
    return { refused: 'an external user id must have 1 to 128 characters and no control characters' }
  }
  const { contactsPerUser } = config.limits
  const user = { appId: application.id, externalUserId }
  const added = await addContactBy(needsOf(context), user, fields, byCommand(context))
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

const needsOf = ({ store, config, ids }: CommandContext): ContactNeeds => {
  const { contactsPerUser, verificationsPerDay: perDay } = config.limits
  return { store, ids, contactsPerUser, asking: { perDay }, isPossible: isPossibleNumber }
}

type Edited = { readonly name?: string; readonly phone?: string; readonly email?: string; readonly language?: string }

async function edit(
  context: CommandContext,
  appId: string,
  externalUserId: string,
  named: string,
  { email, ...fields }: Edited,
): Promise<Answer> {
  const found = await knownContact(context, appId, externalUserId, named)
  if ('refused' in found) return found
  const update: ContactUpdate = { ...fields, ...(email !== undefined && { email: email === 'none' ? null : email }) }
  if (Object.keys(update).length === 0) return { refused: 'nothing to change: see tocsin contact edit --help' }
  const updated = await updateContactOf(needsOf(context), found.user, found.contact.id, update, byCommand(context))
  if ('refused' in updated) {
    return {
      refused:
        updated.refused === 'contact_not_found'
          ? REMOVED
          : 'the application may not send to this country; see --allowed-prefixes',
    }
  }
  const { contact, warnings } = updated
  const view = contactView(contact)
  return {
    json: { userId: found.user.id, contact: view, ...(warnings.length > 0 && { warnings }) },
    text: `${view.name} (${view.phone}) is contact ${view.priority} of ${externalUserId}.`,
    warnings: warnings.map(({ message }) => `${view.phone} ${message}`),
  }
}

async function remove(context: CommandContext, appId: string, externalUserId: string, named: string): Promise<Answer> {
  const found = await knownContact(context, appId, externalUserId, named)
  if ('refused' in found) return found
  const { user, contact } = found
  const removed = await removeContactOf({ store: context.store }, user, contact.id, byCommand(context))
  if ('refused' in removed) return { refused: REMOVED }
  return {
    json: { userId: user.id, contactId: contact.id, ...removed },
    text: `${contact.name} (${contact.phone}) is no longer a contact of ${externalUserId}.`,
  }
}

async function move(
  context: CommandContext,
  appId: string,
  externalUserId: string,
  named: string,
  place: string,
): Promise<Answer> {
  const wanted = wholeNumber(1, 1000).safeParse(Number(place))
  if (!wanted.success) return { refused: `${place} is no place: 1 is the first` }
  const found = await knownContact(context, appId, externalUserId, named)
  if ('refused' in found) return found
  const { user, contact, contacts } = found
  const order = insertedAt(
    contacts.map(({ id }) => id),
    contact.id,
    wanted.data,
  )
  const moved = await orderContactsOf(context, user, order, byCommand(context))
  if ('refused' in moved) return { refused: 'the contacts have just been changed; try again' }
  const now = (await context.store.contacts(user.id)).map(contactView)
  const rows = now.map(({ priority, name, phone }) => ({ priority, name, phone }))
  return { json: { userId: user.id, contacts: now }, text: table(rows, 'No emergency contacts.') }
}

const REMOVED = 'the contact has just been removed'

/** A user and the contact that the operator named. */
async function knownContact(
  { store }: CommandContext,
  appId: string,
  externalUserId: string,
  named: string,
): Promise<
  | { readonly user: User; readonly contact: Contact; readonly contacts: readonly Contact[] }
  | { readonly refused: string }
> {
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: 'the application has no such user' }
  const contacts = await store.contacts(user.id)
  const contact = contactOf(contacts, named)
  return 'refused' in contact ? contact : { user, contact, contacts }
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
  const found = await knownContact(context, appId, externalUserId, named)
  if ('refused' in found) return found
  const { user, contact } = found
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
  if (asked.refused === 'contact_not_found') return { refused: REMOVED }
  const { retryAfterMs } = asked
  const when = retryAfterMs === null ? 'and cannot be asked again' : `try again in ${Math.ceil(retryAfterMs / HOUR)} h`
  return { refused: `the limit for this number, this user or the whole site is reached; ${when}` }
}
